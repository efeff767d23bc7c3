//! What providers state is believed over what was configured or counted.

use super::Ledger;
use crate::cell::{Body, Dimension, Scope};
use crate::ids::CellId;
use crate::input::{Facts, Window};
use crate::units::Micros;

impl Ledger {
    /// Corrects the windows that an answer of this model states, and the account's slots. A window is the
    /// model's where it has one, else the account's; a limit that is news makes one for the model, since
    /// providers limit models.
    pub(super) fn believe(&mut self, now: Micros, model: u32, slots: CellId, facts: &Facts) {
        for (dimension, window) in [
            (Dimension::Requests, facts.requests),
            (Dimension::Tokens, facts.tokens),
            (Dimension::Input, facts.input),
            (Dimension::Output, facts.output),
        ] {
            if let Some(window) = window {
                self.believe_window(now, model, dimension, &window);
            }
        }
        let slots = self.cells.get_mut(slots.0 as usize).and_then(|cell| cell.slots_mut());
        if let Some((slots, stated)) = slots.zip(facts.concurrency) {
            slots.state(stated);
        }
    }

    fn believe_window(&mut self, now: Micros, model: u32, dimension: Dimension, window: &Window) {
        let Some(cell) = self.narrowest(model, dimension).or_else(|| {
            let live = self.layout.candidates.contains(&model) && window.limit > Some(0);
            live.then(|| self.window(now, Scope::Model(model), dimension))
        }) else {
            return;
        };
        let cell = self.at(cell);
        let unseen = cell.unseen;
        if let Body::Window(bucket) = &mut cell.body {
            bucket.correct(now, window, unseen);
        }
    }

    /// The model's cell of a dimension, else its account's.
    pub(super) fn narrowest(&self, model: u32, dimension: Dimension) -> Option<CellId> {
        let account = Scope::Account(self.layout.models[model as usize].account);
        self.find(Scope::Model(model), dimension).or_else(|| self.find(account, dimension))
    }
}

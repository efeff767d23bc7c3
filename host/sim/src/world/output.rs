//! What a host decided is carried out and written down.

use weir_core::{Admit, Event as Said, Next, Output, Refusal, Settled};

use super::World;
use super::arrive::row;
use super::queue::{Event, Try};
use crate::record::{Happening, MOST_HAPPENINGS, Outcome, Refused, What};

impl World<'_> {
    pub(super) fn carry_out(&mut self, host: u16, output: Output) {
        match output {
            Output::Admit(admit) => self.admitted(host, &admit),
            Output::Refuse { item, refusal } => {
                self.leave(row(item), Outcome::Refused(refused(refusal)));
            }
            Output::Ended { item, attempt, next, settled, .. } => {
                self.settled(Try { host, attempt }, settled);
                self.followed(row(item), &next);
            }
            Output::Cut { attempt, .. } => {
                self.queue.at(self.now, Event::Cut(Try { host, attempt }));
            }
            Output::Event(said) => self.said(host, said),
        }
    }

    fn admitted(&mut self, host: u16, admit: &Admit) {
        let try_ = Try { host, attempt: admit.attempt };
        if self.flights.contains_key(&try_) {
            self.resumed(try_);
        } else {
            self.send(host, admit);
        }
    }

    /// A host settled an attempt that has ended.
    fn settled(&mut self, try_: Try, settled: Settled) {
        let sums = &mut self.record.sums;
        sums.input = sums.input.plus(settled.input);
        sums.output = sums.output.plus(settled.output);
        sums.cost = sums.cost.plus(settled.cost);
        let row = self.unsettled.remove(&try_);
        if let Some(written) = row.and_then(|row| self.record.attempts.get_mut(row as usize)) {
            written.settled = Some(settled.input.plus(settled.output).0);
        }
    }

    fn followed(&mut self, request: u32, next: &Next) {
        match next {
            Next::Finished => {
                let outcome = self.live.get(&request).map_or(Outcome::Done, |live| live.leaving);
                self.leave(request, outcome);
            }
            Next::Again { .. } => {}
            Next::GiveUp(_) => self.leave(request, Outcome::GaveUp),
        }
    }

    /// What a person would ask about. What rows tell already is left out.
    fn said(&mut self, host: u16, said: Said) {
        let what = match said {
            Said::Admitted { .. } | Said::Refused { .. } => return,
            Said::ConcurrencyChanged { upstream, limit, effective, reason } => {
                let upstream = self.upstream(&upstream);
                if let Some(host) = self.hosts.get_mut(usize::from(host))
                    && let Some(cell) = host.cells.get_mut(usize::from(upstream))
                {
                    cell.effective = effective;
                }
                What::Limit { upstream, limit, effective, reason }
            }
            Said::Cooldown { upstream, model, dimension, span, kind } => What::Cooldown {
                upstream: self.upstream(&upstream),
                model,
                dimension,
                until: self.now.plus(span),
                kind,
            },
            Said::Retried { item, upstream, kind, flow_control, after } => {
                let sums = &mut self.record.sums;
                *(if flow_control { &mut sums.flow_control } else { &mut sums.retried }) += 1;
                What::Retried {
                    request: row(item),
                    upstream: self.upstream(&upstream),
                    kind,
                    flow_control,
                    until: self.now.plus(after),
                }
            }
            Said::Rerouted { item, from, to } => What::Rerouted {
                request: row(item),
                from: self.upstream(&from),
                to: self.upstream(&to),
            },
            Said::BudgetSoft { tenant, .. } => {
                What::Budget { tenant: self.tenant(&tenant), hard: false }
            }
            Said::BudgetHard { tenant, .. } => {
                What::Budget { tenant: self.tenant(&tenant), hard: true }
            }
        };
        self.note(Happening { at: self.now, instance: host, what });
    }

    /// Writes down what happened, as long as there is room.
    pub(super) fn note(&mut self, happening: Happening) {
        if self.record.happened.len() < MOST_HAPPENINGS {
            self.record.happened.push(happening);
        } else {
            self.record.happened_besides += 1;
            self.record.cut.get_or_insert(happening.at);
        }
    }

    /// What a host's policies had to say.
    pub(super) fn hear_policies(&mut self, place: usize) {
        let Some(host) = self.hosts.get_mut(place) else { return };
        for what in host.mind.said() {
            self.note(Happening { at: self.now, instance: place as u16, what });
        }
    }

    fn upstream(&self, name: &str) -> u16 {
        place_of(&self.record.names.upstreams, name)
    }

    fn tenant(&self, name: &str) -> u16 {
        place_of(&self.record.names.tenants, name)
    }
}

fn place_of(names: &[String], name: &str) -> u16 {
    names.iter().position(|known| known == name).map_or(u16::MAX, |place| place as u16)
}

const fn refused(refusal: Refusal) -> Refused {
    match refusal {
        Refusal::Full { .. } => Refused::Full,
        Refusal::NotUntil { .. } => Refused::NotUntil,
        Refusal::Never { .. } => Refused::Never,
        Refusal::Budget { .. } => Refused::Budget,
        Refusal::Expired => Refused::Expired,
        Refusal::Shed { .. } => Refused::Shed,
        Refusal::Deadlock => Refused::Deadlock,
        Refusal::NoCandidate => Refused::NoCandidate,
    }
}

//! Attempts end: what they held comes free, and their host is told how.

use weir_core::units::{Micros, Tokens};
use weir_core::{End, Facts, Input, Outcome as Ending, Sent, Stage, Transport, Usage};

use super::World;
use super::attempt::{Flight, How};
use super::queue::Try;
use crate::record::Fate;

impl World<'_> {
    /// Ends an attempt.
    pub(super) fn end(&mut self, try_: Try, how: How) {
        let Some(flight) = self.flights.remove(&try_) else { return };
        let output = self.made(&flight, how);
        let facts = match how {
            How::Refused(..) => self.providers[flight.upstream].facts(self.now, flight.model),
            _ => Facts::default(),
        };
        let end = self.told(&flight, how, output, facts);
        let input = end.usage.map_or(0, |usage| usage.input.0);
        self.release(try_.host, &flight, output, fate(how), input);
        if let (How::Refused(refusal, _), Some(written)) =
            (how, self.record.attempts.get_mut(flight.row as usize))
        {
            written.told_wait = refusal.told_wait();
        }
        self.unsettled.insert(try_, flight.row);
        self.tell(try_.host, Input::Ended { attempt: try_.attempt, end });
    }

    /// What an attempt held at its provider comes free, and its row is completed.
    pub(super) fn release(
        &mut self,
        host: u16,
        flight: &Flight,
        output: u64,
        fate: Fate,
        input: u64,
    ) {
        let provider = &mut self.providers[flight.upstream];
        if flight.parked.is_some() {
            provider.unpark(flight.taken);
        }
        provider.leave(self.now, flight.taken, output);
        if flight.parked.is_none() {
            self.count(host, flight.upstream, -1);
        }
        if let Some(live) = self.live.get_mut(&flight.request) {
            live.attempt = None;
            live.busy = live.busy.plus(self.now.minus(flight.sent));
            live.spent = live.spent.saturating_add(input.saturating_add(output));
        }
        if let Some(written) = self.record.attempts.get_mut(flight.row as usize) {
            written.ended = Some(self.now);
            written.fate = fate;
            written.input = input as u32;
            written.output = output as u32;
            if let Some(since) = flight.parked {
                written.parked = written.parked.plus(self.now.minus(since));
            }
        }
    }

    /// Output that an attempt has made when it ends.
    fn made(&self, flight: &Flight, how: How) -> u64 {
        let output = self.live.get(&flight.request).map_or(0, |live| live.body.output);
        match (how, flight.accepted) {
            (How::Success, _) => output,
            (_, Some(accepted)) if flight.ends != Micros::MAX && flight.ends > accepted => {
                let span = flight.ends.minus(accepted).0 as f64;
                let share = self.now.minus(accepted).0 as f64 / span;
                (output as f64 * share.min(1.0)) as u64
            }
            _ => 0,
        }
    }

    /// An end as the core is told of it.
    fn told(&mut self, flight: &Flight, how: How, output: u64, facts: Facts) -> End {
        let input = self.live.get(&flight.request).map_or(0, |live| live.body.input);
        let begun = flight.accepted.is_some();
        let mut end = End {
            outcome: Ending::Success,
            sent: if begun { Sent::Content } else { Sent::Nothing },
            stage: if begun { Stage::Between } else { Stage::Headers },
            first_content: flight.accepted.map(|at| at.minus(flight.sent)),
            usage: None,
            output_seen: Tokens(output),
            facts,
        };
        end.outcome = match how {
            How::Success => {
                let input = Tokens(input);
                end.stage = Stage::Total;
                end.usage = Some(Usage {
                    input_counted: input,
                    input,
                    cached: Tokens::ZERO,
                    output: Tokens(output),
                });
                Ending::Success
            }
            How::Refused(refusal, _) => {
                let provider = &mut self.providers[flight.upstream];
                Ending::Response(provider.response(self.now, flight.model, refusal))
            }
            How::Broken(transport) => Ending::Transport(transport),
            How::Cancelled => Ending::Cancelled,
            How::Cut => Ending::Cut,
        };
        end
    }
}

const fn fate(how: How) -> Fate {
    match how {
        How::Success => Fate::Success,
        How::Refused(_, fate) => fate,
        How::Broken(Transport::TimedOut) => Fate::TimedOut,
        How::Broken(Transport::CallerDeadline) | How::Cancelled => Fate::Cancelled,
        How::Broken(Transport::Connect | Transport::Reset) => Fate::Broken,
        How::Cut => Fate::Cut,
    }
}

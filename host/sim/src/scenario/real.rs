//! How providers really are.

use toml::Spanned;
use weir_core::units::Micros;

use super::check::Checker;
use super::convert::{counts, models, spans};
use super::file;
use super::plan::{Change, Failing, Fault, Load, Provider, Timeouts, Window};
use super::provider::{self, What};

impl Checker<'_> {
    pub(super) fn providers(&mut self, upstreams: &[file::Upstream]) -> Vec<Provider> {
        upstreams.iter().map(|upstream| self.provider(upstream)).collect()
    }

    fn provider(&mut self, upstream: &file::Upstream) -> Provider {
        let real = &upstream.provider;
        let names: Vec<String> = models(upstream).into_iter().map(|model| model.name).collect();
        let per_model = |name: &String| real.per_model.get(name).map(|slots| slots.get());
        for name in real.per_model.keys().filter(|name| !names.contains(name)) {
            let words = format!("`provider.per_model` names `{name}`, which is no model of it");
            self.complain(upstream.name.span(), words);
        }
        Provider {
            name: upstream.name.get_ref().clone(),
            kind: upstream.kind,
            concurrency: real.concurrency.map(u32::from),
            per_model: names.iter().map(per_model).collect(),
            windows: real.window.iter().map(|window| self.window(&names, window)).collect(),
            service: spans(real.service),
            accepts: real.accepts.get(),
            token_rate: real.token_rate.map(|rate| rate.get()),
            output: counts(real.output),
            load: real
                .load
                .as_ref()
                .map(|load| Load { free: load.free.get(), slope: load.slope.get() }),
            refusal: real.refusal.get(),
            retry_after: real.retry_after.map(|span| span.get()),
            headers: real.headers,
            changes: self.changes(&real.change),
            faults: real.fault.iter().map(|fault| self.fault(&names, fault)).collect(),
            timeouts: Timeouts {
                headers: upstream.timeouts.headers.get(),
                total: upstream.timeouts.total.get(),
            },
            models: names,
        }
    }

    fn window(&mut self, names: &[String], window: &provider::Window) -> Window {
        Window {
            counts: window.counts,
            limit: window.limit.get(),
            per: window.per.get(),
            shape: window.shape,
            models: self.places(names, &window.models),
        }
    }

    fn places(&mut self, names: &[String], wanted: &[Spanned<String>]) -> Vec<usize> {
        let mut places = Vec::with_capacity(wanted.len());
        for name in wanted {
            match names.iter().position(|known| known == name.get_ref()) {
                Some(place) => places.push(place),
                None => self.unknown(name, "model", names.iter().map(String::as_str)),
            }
        }
        places
    }

    fn changes(&mut self, changes: &[provider::Change]) -> Vec<Change> {
        for pair in changes.windows(2).filter(|pair| pair[0].at.get_ref() >= pair[1].at.get_ref()) {
            self.complain(pair[1].at.span(), "changes must be in the order of time".to_owned());
        }
        let change = |change: &provider::Change| Change {
            at: change.at.get_ref().get(),
            concurrency: change.concurrency.get(),
        };
        changes.iter().map(change).collect()
    }

    fn fault(&mut self, names: &[String], fault: &provider::Fault) -> Fault {
        Fault {
            from: fault.from.get(),
            until: fault.span.map_or(Micros::MAX, |span| fault.from.get().plus(span.get())),
            what: self.failing(fault),
            share: fault.share.get(),
            models: self.places(names, &fault.models),
        }
    }

    fn failing(&mut self, fault: &provider::Fault) -> Failing {
        let what = *fault.what.get_ref();
        let retry_after = fault.retry_after.map(|span| span.get());
        let stray = [
            (fault.status.is_some() && what != What::Error, "`status` goes with `error` alone"),
            (fault.factor.is_some() && what != What::Slow, "`factor` goes with `slow` alone"),
            (fault.factor.is_none() && what == What::Slow, "`slow` needs a `factor`"),
            (
                retry_after.is_some() && !matches!(what, What::Error | What::Throttle),
                "`retry_after` goes with `error` and `throttle` alone",
            ),
            (
                what == What::Throttle && retry_after.is_none() && fault.span.is_none(),
                "`throttle` needs `retry_after` or an end (`for`)",
            ),
        ];
        for (_, words) in stray.into_iter().filter(|(wrong, _)| *wrong) {
            self.complain(fault.what.span(), words.to_owned());
        }
        match what {
            What::Hang => Failing::Hang,
            What::Error => Failing::Error { status: self.status(fault), retry_after },
            What::Throttle => Failing::Throttle { retry_after },
            What::Reset => Failing::Reset,
            What::Unreachable => Failing::Unreachable,
            What::Slow => Failing::Slow(fault.factor.map_or(1.0, |factor| factor.get())),
        }
    }

    fn status(&mut self, fault: &provider::Fault) -> u16 {
        let Some(status) = &fault.status else { return 500 };
        if !(400..=599).contains(status.get_ref()) {
            let words = format!("{} is no status of an error: 400 to 599", status.get_ref());
            self.complain(status.span(), words);
        }
        *status.get_ref()
    }
}

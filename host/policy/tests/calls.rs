//! Every interface, called through the core's trait.

mod support;

use support::{Host, questions};
use weir_core::Slot;
use weir_policy::Pace;

#[test]
fn every_interface_answers() {
    for pace in [Pace::Live, Pace::Fuel] {
        let mut host = Host::new(pace);
        for slot in Slot::ALL {
            host.install(slot, "");
            questions::ask(&mut host.slots, slot).unwrap();
        }
        assert!(host.slots.list().iter().all(|row| row.calls == 1 && row.faults == 0));
        assert_eq!(host.slots.events().len(), 0);
    }
}

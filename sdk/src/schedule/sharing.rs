//! What fair queues differ in.

/// How flows that are siblings share: the state of all of them, and what is done to the account of one.
///
/// ```
/// use weir_sdk::schedule::{Schedule, Shares, Sharing, Units};
/// use weir_sdk::types::GroupId;
/// use weir_sdk::{About, Micros, Policy, testing};
///
/// /// Whoever has been given least is next, whatever its weight and since whenever.
/// struct Least;
///
/// impl Policy for Least {
///     const ABOUT: About = weir_sdk::about!();
///     type Settings = ();
///
///     fn start(_: (), _: Micros) -> Result<Self, String> {
///         Ok(Self)
///     }
/// }
///
/// impl Schedule for Least {
///     type Group = Shares<Given>;
///
///     fn group(&self, _: GroupId) -> Shares<Given> {
///         Shares::new(Given, Units { request: 1, input: 1, output: 1 }, 16)
///     }
/// }
///
/// #[derive(Clone)]
/// struct Given;
///
/// impl Sharing for Given {
///     type Account = i64;
///
///     fn join(&self) -> i64 {
///         0
///     }
///
///     fn charge(&mut self, given: &mut i64, units: i64) -> bool {
///         *given += units;
///         false
///     }
///
///     fn turn(&self, given: &i64) -> i64 {
///         *given
///     }
/// }
///
/// weir_sdk::export!(Least: schedule);
///
/// let mut bench = testing::ScheduleBench::start::<Least>("");
/// (1..=3).for_each(|id| bench.offer(testing::item(id, 10)));
/// bench.offer(testing::item(4, 20));
/// assert_eq!([bench.serve(), bench.serve(), bench.serve()], [Some(1), Some(4), Some(2)]);
/// ```
pub trait Sharing: Clone + Send + 'static {
    /// What is kept of one flow.
    type Account: Send + 'static;

    /// The account of a flow that is new, of weight 1.
    fn join(&self) -> Self::Account;

    /// Sets a flow's weight, 1 or more.
    fn weigh(&mut self, _account: &mut Self::Account, _weight: u32) {}

    /// A flow begins to wait. `least` is the earliest turn of its siblings that wait.
    fn wait(&mut self, _account: &mut Self::Account, _least: Option<i64>) {}

    /// A flow has nothing that waits any more.
    fn rest(&mut self, _account: &mut Self::Account) {}

    /// A flow has its turn.
    fn serve(&mut self, _account: &mut Self::Account) {}

    /// Takes units from a flow, or gives them back when negative. True puts it behind those whose turn is
    /// the same.
    fn charge(&mut self, account: &mut Self::Account, units: i64) -> bool;

    /// When it is a flow's turn: lower first. No call for one flow may change that of another.
    fn turn(&self, account: &Self::Account) -> i64;

    /// What the next instance should know of a flow that waits, or does not.
    fn standing(&self, _account: &Self::Account, _waits: bool) -> Option<i64> {
        None
    }

    /// Puts a flow where an earlier instance's standing says.
    fn adopt(&mut self, _account: &mut Self::Account, _standing: i64) {}
}

/// What work counts as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Units {
    /// A request without any tokens.
    pub request: u32,
    /// An input token.
    pub input: u32,
    /// An output token.
    pub output: u32,
}

impl Units {
    /// So much work in units.
    pub(super) fn of(&self, requests: i64, input: i64, output: i64) -> i64 {
        if input == 0 && output == 0 {
            return requests.saturating_mul(self.request.into());
        }
        let input = input.saturating_mul(self.input.into());
        input.saturating_add(output.saturating_mul(self.output.into()))
    }
}

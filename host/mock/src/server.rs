//! Listeners and connections.

use std::io;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::clock::Clock;
use crate::exchange::App;
use crate::provider::Provider;
use crate::sample::Dice;
use crate::script::{ProviderScript, Script};

/// Connections of one provider at once; further ones wait to be taken.
const CONNECTIONS: usize = 4096;
/// What a shutdown waits for responses in flight.
const GRACE: Duration = Duration::from_secs(5);
/// The rest after a failed accept, which means that something is exhausted.
const ACCEPT_REST: Duration = Duration::from_millis(50);

/// Running providers. Dropping it stops them at once; [`Mock::shutdown`] lets responses end.
#[derive(Debug)]
pub struct Mock {
    providers: Vec<Provider>,
    tasks: TaskTracker,
    signals: Signals,
}

#[derive(Debug, Clone, Default)]
struct Signals {
    /// Take nothing new, end what is in flight.
    stop: CancellationToken,
    /// End now.
    kill: CancellationToken,
}

impl Mock {
    /// Binds and serves every provider of a script, in the script's order.
    ///
    /// # Errors
    ///
    /// A script that fails its check (`InvalidInput`), or an address that cannot be bound; both say which
    /// provider.
    pub async fn start(script: &Script) -> io::Result<Self> {
        script.check().map_err(|invalid| io::Error::new(io::ErrorKind::InvalidInput, invalid))?;
        let mut mock = Self {
            providers: Vec::with_capacity(script.providers.len()),
            tasks: TaskTracker::new(),
            signals: Signals::default(),
        };
        let clock = Clock::start();
        let mut seeds = Dice::new(script.seed, 0);
        for provider in &script.providers {
            let provider = mock.serve(provider, seeds.number(), clock).await?;
            tracing::info!(provider = provider.name(), addr = %provider.addr(), "listening");
            mock.providers.push(provider);
        }
        mock.tasks.close();
        Ok(mock)
    }

    /// The providers, in the script's order.
    #[must_use]
    pub fn providers(&self) -> &[Provider] {
        &self.providers
    }

    /// The provider of this name.
    #[must_use]
    pub fn provider(&self, name: &str) -> Option<&Provider> {
        self.providers.iter().find(|provider| provider.name() == name)
    }

    /// Stops listening, lets responses in flight end for up to 5 seconds, then closes.
    pub async fn shutdown(self) {
        self.signals.stop.cancel();
        if tokio::time::timeout(GRACE, self.tasks.wait()).await.is_err() {
            self.signals.kill.cancel();
            self.tasks.wait().await;
        }
    }

    async fn serve(
        &self,
        script: &ProviderScript,
        seed: u64,
        clock: Clock,
    ) -> io::Result<Provider> {
        let listener = TcpListener::bind(script.listen).await.map_err(|error| {
            let (at, name) = (script.listen, &script.name);
            io::Error::new(error.kind(), format!("cannot listen on {at} for `{name}`: {error}"))
        })?;
        let addr = listener.local_addr()?;
        let app = Arc::new(App::new(script.clone(), seed, clock));
        let door = Door {
            app: Arc::clone(&app),
            tasks: self.tasks.clone(),
            signals: self.signals.clone(),
        };
        self.tasks.spawn(door.listen(listener));
        Ok(Provider { app, addr })
    }
}

impl Drop for Mock {
    fn drop(&mut self) {
        self.signals.stop.cancel();
        self.signals.kill.cancel();
    }
}

/// One provider's listener.
struct Door {
    app: Arc<App>,
    tasks: TaskTracker,
    signals: Signals,
}

impl Door {
    async fn listen(self, listener: TcpListener) {
        let room = Arc::new(Semaphore::new(CONNECTIONS));
        let accepting = async {
            while let Ok(permit) = Arc::clone(&room).acquire_owned().await {
                match listener.accept().await {
                    Ok((stream, _)) => self.take(stream, permit),
                    Err(error) => {
                        tracing::warn!(%error, "cannot accept a connection");
                        tokio::time::sleep(ACCEPT_REST).await;
                    }
                }
            }
        };
        self.signals.stop.run_until_cancelled(accepting).await;
    }

    fn take(&self, stream: TcpStream, permit: OwnedSemaphorePermit) {
        let (app, signals) = (Arc::clone(&self.app), self.signals.clone());
        self.tasks.spawn(async move {
            connection(stream, app, &signals).await;
            drop(permit);
        });
    }
}

/// Serves one connection to its end. A client that goes and a cut by the script are ends like others.
async fn connection(stream: TcpStream, app: Arc<App>, signals: &Signals) {
    if let Err(error) = stream.set_nodelay(true) {
        tracing::debug!(%error, "no delay is not to be had");
    }
    let service = service_fn(move |request| {
        let app = Arc::clone(&app);
        async move { app.answer(request).await }
    });
    let mut builder = http1::Builder::new();
    builder.timer(TokioTimer::new());
    let mut serving = pin!(builder.serve_connection(TokioIo::new(stream), service));
    let ended = tokio::select! {
        ended = serving.as_mut() => ended,
        () = signals.stop.cancelled() => {
            serving.as_mut().graceful_shutdown();
            signals.kill.run_until_cancelled(serving).await.unwrap_or(Ok(()))
        }
    };
    if let Err(error) = ended {
        tracing::debug!(%error, "connection ended");
    }
}

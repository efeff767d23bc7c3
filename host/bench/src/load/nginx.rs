//! nginx as a plain reverse proxy, where it is installed.

use std::fmt::Write as _;
use std::io;
use std::net::{SocketAddr, TcpListener};
use std::path::Path;
use std::process::{Child, Command, Stdio};

/// A running nginx; ended on drop.
#[derive(Debug)]
pub struct Nginx {
    child: Child,
    /// Where it listens.
    pub addr: SocketAddr,
}

impl Nginx {
    /// Starts it in front of an upstream; `None` where it is not installed.
    ///
    /// # Errors
    ///
    /// It is there and does not start.
    pub fn start(dir: &Path, upstream: SocketAddr) -> io::Result<Option<Self>> {
        let addr = TcpListener::bind(("127.0.0.1", 0))?.local_addr()?;
        let config = dir.join("nginx.conf");
        std::fs::write(&config, text(dir, addr, upstream))?;
        let started = Command::new("nginx")
            .arg("-p")
            .arg(dir)
            .arg("-e")
            .arg(dir.join("error.log"))
            .arg("-c")
            .arg(&config)
            .stdout(Stdio::null())
            .stderr(Stdio::inherit())
            .spawn();
        match started {
            Ok(child) => Ok(Some(Self { child, addr })),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error),
        }
    }
}

/// One worker a core, keep-alive to both sides, nothing written: what a plain proxy needs and no more.
fn text(dir: &Path, addr: SocketAddr, upstream: SocketAddr) -> String {
    let mut text = String::from("daemon off;\nworker_processes auto;\n");
    let _ = writeln!(text, "pid {};", dir.join("nginx.pid").display());
    text.push_str("events { worker_connections 1024; }\nhttp {\naccess_log off;\n");
    for kind in ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"] {
        let _ = writeln!(text, "{kind}_temp_path {};", dir.join(kind).display());
    }
    let _ = writeln!(text, "upstream fixed {{ server {upstream}; keepalive 256; }}");
    let _ = writeln!(text, "server {{ listen {addr}; keepalive_requests 100000000; location / {{");
    text.push_str(
        "proxy_pass http://fixed; proxy_http_version 1.1; proxy_set_header Connection \"\";\n",
    );
    text.push_str("proxy_buffering off; } }\n}\n");
    text
}

impl Drop for Nginx {
    fn drop(&mut self) {
        // The workers leave with their master, which takes a quick stop only by signal.
        let id = self.child.id().to_string();
        let asked = Command::new("kill").args(["-TERM", &id]).status();
        if asked.is_err() {
            let _ = self.child.kill();
        }
        let _ = self.child.wait();
    }
}

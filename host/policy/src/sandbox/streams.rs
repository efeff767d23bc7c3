//! Input that is empty, output that goes to the ring, and nothing to wait for.

use wasmtime::component::Resource;
use wasmtime::{Result, bail};

use super::Sandbox;
use super::wasi::wasi::io::streams::StreamError;
use super::wasi::wasi::io::{error, poll, streams};

/// Bytes that one write may bring.
const WRITE: u64 = 64 << 10;
/// What a policy hears that waits.
const WAITS: &str = "a policy may not wait: there is nothing that it could wait for";

pub struct Input;
pub struct Output;
/// Never made: reading ends before it fails.
pub enum Failure {}
/// Made, because a program may ask for it before it knows whether it must wait.
pub struct Pollable;

impl Sandbox {
    pub(super) fn pollable(&mut self) -> Result<Resource<Pollable>> {
        Ok(self.table.push(Pollable)?)
    }

    pub(super) fn output(&mut self) -> Result<Resource<Output>> {
        Ok(self.table.push(Output)?)
    }

    pub(super) fn input(&mut self) -> Result<Resource<Input>> {
        Ok(self.table.push(Input)?)
    }
}

impl error::Host for Sandbox {}

impl error::HostError for Sandbox {
    fn to_debug_string(&mut self, failure: Resource<Failure>) -> Result<String> {
        match *self.table.get(&failure)? {}
    }

    fn drop(&mut self, failure: Resource<Failure>) -> Result<()> {
        self.table.delete(failure)?;
        Ok(())
    }
}

impl poll::Host for Sandbox {
    fn poll(&mut self, _: Vec<Resource<Pollable>>) -> Result<Vec<u32>> {
        bail!(WAITS)
    }
}

impl poll::HostPollable for Sandbox {
    fn ready(&mut self, _: Resource<Pollable>) -> Result<bool> {
        Ok(true)
    }

    fn block(&mut self, _: Resource<Pollable>) -> Result<()> {
        bail!(WAITS)
    }

    fn drop(&mut self, pollable: Resource<Pollable>) -> Result<()> {
        self.table.delete(pollable)?;
        Ok(())
    }
}

impl streams::Host for Sandbox {}

impl streams::HostInputStream for Sandbox {
    fn read(&mut self, _: Resource<Input>, _: u64) -> Result<Result<Vec<u8>, StreamError>> {
        Ok(Err(StreamError::Closed))
    }

    fn blocking_read(
        &mut self,
        _: Resource<Input>,
        _: u64,
    ) -> Result<Result<Vec<u8>, StreamError>> {
        Ok(Err(StreamError::Closed))
    }

    fn subscribe(&mut self, _: Resource<Input>) -> Result<Resource<Pollable>> {
        self.pollable()
    }

    fn drop(&mut self, input: Resource<Input>) -> Result<()> {
        self.table.delete(input)?;
        Ok(())
    }
}

impl streams::HostOutputStream for Sandbox {
    fn check_write(&mut self, _: Resource<Output>) -> Result<Result<u64, StreamError>> {
        Ok(Ok(WRITE))
    }

    fn write(&mut self, _: Resource<Output>, bytes: Vec<u8>) -> Result<Result<(), StreamError>> {
        self.ring.write(&bytes);
        Ok(Ok(()))
    }

    fn blocking_write_and_flush(
        &mut self,
        output: Resource<Output>,
        bytes: Vec<u8>,
    ) -> Result<Result<(), StreamError>> {
        self.write(output, bytes)
    }

    fn flush(&mut self, _: Resource<Output>) -> Result<Result<(), StreamError>> {
        Ok(Ok(()))
    }

    fn blocking_flush(&mut self, _: Resource<Output>) -> Result<Result<(), StreamError>> {
        Ok(Ok(()))
    }

    fn subscribe(&mut self, _: Resource<Output>) -> Result<Resource<Pollable>> {
        self.pollable()
    }

    fn drop(&mut self, output: Resource<Output>) -> Result<()> {
        self.table.delete(output)?;
        Ok(())
    }
}

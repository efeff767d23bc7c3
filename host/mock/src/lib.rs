//! A scriptable model provider over real HTTP and real wire formats.

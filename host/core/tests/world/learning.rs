//! learning

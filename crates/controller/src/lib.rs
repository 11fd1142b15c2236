//! Workers that live beside the state: per model and per controller.

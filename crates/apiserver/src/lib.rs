//! The API server: the facade table and its handlers, authentication, HTTP endpoints, object storage.

//! The websocket JSON-RPC connection that both ends of the API share: login, typed calls, watchers as streams.

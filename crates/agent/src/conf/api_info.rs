//! How an agent reaches its controllers.

use super::{AgentConf, ServingInfo};
use crate::Secret;

/// All that is needed to dial and log in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ApiInfo {
    /// `host:port`, best first.
    pub addresses: Vec<String>,
    pub ca_cert: String,
    pub tag: String,
    pub nonce: String,
    /// UUID of the model.
    pub model: String,
    pub password: Secret,
    /// To try when `password` is refused.
    pub old_password: Secret,
}

impl AgentConf {
    /// How to log in; none before any address is known. A controller dials itself first.
    pub fn api_info(&self) -> Option<ApiInfo> {
        let mut addresses = self.api_addresses.clone();
        if let Some(serving) = &self.serving {
            let own = format!("localhost:{}", serving.own_port());
            if !addresses.contains(&own) {
                addresses.insert(0, own);
            }
        }
        if addresses.is_empty() {
            return None;
        }
        Some(ApiInfo {
            addresses,
            ca_cert: self.ca_cert.clone(),
            tag: self.tag.clone(),
            nonce: self.nonce.clone(),
            model: self.model.clone(),
            password: self.api_password.clone(),
            old_password: self.old_password.clone(),
        })
    }
}

impl ServingInfo {
    /// The port that a controller's own agents use.
    pub fn own_port(&self) -> u16 {
        if self.controller_api_port == 0 { self.api_port } else { self.controller_api_port }
    }
}

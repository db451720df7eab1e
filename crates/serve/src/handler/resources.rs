//! Resources: tools' answers under an address.

use std::sync::Arc;

use m1nd_runtime::Reply;
use rmcp::model::{
    ListResourceTemplatesResult, ListResourcesResult, ReadResourceRequestParams, ReadResourceResponse,
    ReadResourceResult, Resource, ResourceContents, ResourceTemplate,
};
use rmcp::service::RequestContext;
use rmcp::{ErrorData, RoleServer};
use serde_json::json;

use super::Handler;
use super::tools::lost;

impl Handler {
    pub(super) fn resources(&self) -> ListResourcesResult {
        let specs = self.runtime.surface().resources.iter();
        let resources = specs
            .filter(|spec| !spec.is_template())
            .map(|spec| {
                Resource::new(spec.uri, spec.name)
                    .with_description(spec.description)
                    .with_mime_type(spec.mime)
            })
            .collect();
        #[cfg(feature = "conformance")]
        let resources = self.fixtures.with_resources(resources);
        ListResourcesResult::with_all_items(resources)
    }

    pub(super) fn resource_templates(&self) -> ListResourceTemplatesResult {
        let specs = self.runtime.surface().resources.iter();
        let templates = specs
            .filter(|spec| spec.is_template())
            .map(|spec| {
                ResourceTemplate::new(spec.uri, spec.name)
                    .with_description(spec.description)
                    .with_mime_type(spec.mime)
            })
            .collect();
        #[cfg(feature = "conformance")]
        let templates = self.fixtures.with_templates(templates);
        ListResourceTemplatesResult::with_all_items(templates)
    }

    pub(super) async fn read(
        &self,
        request: ReadResourceRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        let uri = request.uri.to_string();
        #[cfg(feature = "conformance")]
        if let Some(contents) = self.fixtures.read(&uri) {
            return Ok(ReadResourceResult::new(vec![contents]).into());
        }
        if let Some(roots) = &self.roots {
            roots.settled().await;
        }
        let runtime = Arc::clone(&self.runtime);
        let address = uri.clone();
        let found = self
            .calls
            .run(&context.ct, move |cancel| runtime.read_resource(&address, cancel))
            .await
            .map_err(lost)?;
        let Some((mime, reply)) = found else {
            return Err(not_found(&uri, format!("There is no resource {uri}.")));
        };
        if reply.is_error {
            return Err(not_found(&uri, message(&reply)));
        }
        let contents = ResourceContents::text(reply.text(), uri).with_mime_type(mime);
        Ok(ReadResourceResult::new(vec![contents]).into())
    }
}

fn not_found(uri: &str, message: String) -> ErrorData {
    ErrorData::resource_not_found(message, Some(json!({ "uri": uri })))
}

fn message(reply: &Reply) -> String {
    let message = reply.body.pointer("/error/message").and_then(|text| text.as_str());
    message.map_or_else(|| reply.text(), str::to_owned)
}

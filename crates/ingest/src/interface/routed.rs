//! What is told of a file's routes and of what they hang on.

use super::Told;
use crate::facts::{Below, RouteHandler};

impl Told<'_> {
    pub(super) fn routes(&mut self) {
        let facts = self.facts;
        self.count(facts.routes.len());
        for route in &facts.routes {
            self.text(&route.method);
            self.text(&route.pattern);
            match route.handler {
                RouteHandler::Def(ix) => self.scope(Some(ix)),
                RouteHandler::Value(value) => self.expr(value),
            }
            self.below(route.below.as_ref());
        }
        self.count(facts.routers.len());
        for router in &facts.routers {
            self.scope(Some(router.def));
            self.number(router.kind as u32);
            self.text(&router.prefix);
        }
        self.count(facts.mounts.len());
        for mount in &facts.mounts {
            self.below(Some(&mount.what));
            self.text(&mount.base);
            self.number(u32::from(mount.prefix.is_some()));
            self.text(mount.prefix.as_deref().unwrap_or(""));
            self.below(mount.below.as_ref());
        }
    }

    fn below(&mut self, below: Option<&Below>) {
        match below {
            None => self.number(0),
            Some(Below::Def(ix)) => {
                self.number(1);
                self.scope(Some(*ix));
            }
            Some(Below::Value(value)) => {
                self.number(2);
                self.expr(*value);
            }
            Some(Below::File(path)) => {
                self.number(3);
                self.text(path);
            }
        }
    }
}

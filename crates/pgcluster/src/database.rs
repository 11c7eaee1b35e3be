//! A database of a cluster.

use std::{path::PathBuf, sync::Arc};

use crate::{Cluster, cluster::ROLE};

/// A database that goes when the last clone of this goes. It keeps its cluster.
#[derive(Clone, Debug)]
pub struct Database {
    inner: Arc<Inner>,
}

#[derive(Debug)]
struct Inner {
    cluster: Cluster,
    name: String,
}

impl Database {
    /// A database that is empty, or a copy of another.
    pub(crate) fn create(cluster: &Cluster, template: Option<&str>) -> Self {
        let name = format!("provost_{}", cluster.next_database());
        let template = template.map(|template| format!(" TEMPLATE {template}")).unwrap_or_default();
        cluster.sql("postgres", &format!("CREATE DATABASE {name} OWNER {ROLE}{template}"));
        Self { inner: Arc::new(Inner { cluster: cluster.clone(), name }) }
    }

    /// A new database with the contents of this one, to which nobody may be connected.
    #[must_use]
    pub fn copy(&self) -> Self {
        Self::create(self.cluster(), Some(self.name()))
    }

    /// Its URL, with user and password.
    #[must_use]
    pub fn url(&self) -> String {
        self.cluster().url(self.name())
    }

    /// Its name, which no other database of the cluster has.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.inner.name
    }

    /// The cluster that it is in.
    #[must_use]
    pub fn cluster(&self) -> &Cluster {
        &self.inner.cluster
    }

    /// The files that hold these tables and all their indexes.
    #[must_use]
    pub fn files(&self, tables: &[&str]) -> Vec<PathBuf> {
        let names: Vec<_> = tables.iter().map(|table| format!("'{table}'")).collect();
        let listed = self.sql(&format!(
            "SELECT pg_relation_filepath(c.oid) FROM pg_class c LEFT JOIN pg_index i ON i.indexrelid = c.oid \
             WHERE coalesce(i.indrelid, c.oid)::regclass::text IN ({})",
            names.join(", ")
        ));
        listed.lines().map(|path| self.cluster().data().join(path)).collect()
    }

    /// Runs statements in it as the superuser, as [`Cluster::sql`] does.
    #[expect(clippy::must_use_candidate, reason = "many statements print nothing")]
    pub fn sql(&self, statements: &str) -> String {
        self.cluster().sql(self.name(), statements)
    }
}

impl Drop for Inner {
    fn drop(&mut self) {
        // A server that is down, or no longer the one that may write, keeps it until its folder goes.
        let _ = self.cluster.try_sql("postgres", &format!("DROP DATABASE {} WITH (FORCE)", self.name));
    }
}

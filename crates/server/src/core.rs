//! What every use of a data folder opens: the store and the keys.

use std::{fs::DirBuilder, io, path::Path, sync::Arc};

use domain::{Clock, Ctx, Entropy, ports::Seal};
use store::{Database, Store, StoreConfig};
use sts::{RootKey, Sealer, Sessions, SigningKeys, Tokens};

use super::{Operators, StartError};
use crate::private;

/// A data folder, opened and held: nobody else can open it meanwhile.
#[derive(Clone, Debug)]
pub struct Core {
    /// The store.
    pub store: Store,
    pub(crate) root: Arc<RootKey>,
    pub(crate) signing: Arc<SigningKeys>,
    pub(crate) tokens: Tokens,
    pub(crate) sessions: Sessions,
    pub(crate) sts: Arc<sts::Settings>,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) entropy: Arc<dyn Entropy>,
}

impl Core {
    /// Opens the database, or the folder `data` for SQLite, with the key in the file `key`. Folder and key are made when
    /// they do not exist.
    ///
    /// # Errors
    /// When another process holds the folder, or folder or key cannot be used.
    pub async fn open(
        data: &Path,
        database: &Database,
        key: &Path,
        sts: sts::Settings,
        clock: Arc<dyn Clock>,
        entropy: Arc<dyn Entropy>,
    ) -> Result<Self, StartError> {
        make_folder(data)
            .map_err(|error| StartError::while_doing(format!("cannot make the data folder {}", data.display()), &error))?;
        if private::others_can_write(data).unwrap_or(false) {
            let path = data.display();
            tracing::warn!(%path, "others can write to the data folder and replace what is in it; run `chmod go-w` on it");
        }
        if let Some(path) = private::replaceable_above(data) {
            let path = path.display();
            tracing::warn!(%path, "others can write to a folder above the data folder, and replace it; run `chmod go-w` on it, or `chmod +t`");
        }
        let config = StoreConfig { data: data.to_owned(), database: database.clone() };
        let store = Store::open(&config, Arc::clone(&clock), Arc::clone(&entropy)).await?;
        match Self::with_keys(store.clone(), key, sts, clock, entropy).await {
            Ok(core) => Ok(core),
            Err(error) => {
                store.close().await;
                Err(error.into())
            }
        }
    }

    async fn with_keys(
        store: Store,
        key: &Path,
        sts: sts::Settings,
        clock: Arc<dyn Clock>,
        entropy: Arc<dyn Entropy>,
    ) -> domain::Result<Self> {
        let root = Arc::new(RootKey::of_store(&store, key, &*entropy).await?);
        let ctx = Ctx::system("open signing keys", clock.now(), Arc::clone(&entropy));
        let signing = Arc::new(SigningKeys::open(store.clone(), Arc::clone(&root), &sts, Arc::clone(&clock), &ctx).await?);
        let sts = Arc::new(sts);
        let tokens = Tokens::new(Arc::clone(&sts), SigningKeys::clone(&signing));
        let sessions = Sessions::new(store.clone(), &root, Arc::clone(&sts))?;
        Ok(Self { store, root, signing, tokens, sessions, sts, clock, entropy })
    }

    /// Who mints tokens for operators.
    pub(crate) fn operators(&self) -> Operators {
        let operators = sts::Operators::new(self.store.clone(), self.tokens.clone(), Arc::clone(&self.sts));
        Operators::new(operators, Arc::clone(&self.sts), Arc::clone(&self.clock), Arc::clone(&self.entropy))
    }

    /// What seals texts with the key-encryption key.
    pub(crate) fn sealer(&self) -> Arc<dyn Seal> {
        Arc::new(Sealer::new(Arc::clone(&self.root), Arc::clone(&self.entropy)))
    }

    /// The context of something that the server does by itself now.
    pub(crate) fn system(&self, task: &'static str) -> Ctx {
        Ctx::system(task, self.clock.now(), Arc::clone(&self.entropy))
    }
}

/// Makes a folder for its owner alone, and those above it, if need be. One that is there stays as it is.
fn make_folder(path: &Path) -> io::Result<()> {
    let mut builder = DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(path)
}

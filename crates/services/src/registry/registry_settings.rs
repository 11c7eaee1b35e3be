//! Settings of all repositories of a group.

use domain::{
    Ctx, Error, Noun, Op, Result, Uidp,
    iam::Group,
    registry::{RegistrySettings, RegistrySettingsSpec},
};
use store::{Reader, Store, rows};

/// The use cases of the settings of registries. Those that nobody has set are off.
#[derive(Clone, Debug)]
pub struct RegistriesSettings {
    store: Store,
}

impl RegistriesSettings {
    /// The use cases over `store`.
    #[must_use]
    pub fn new(store: Store) -> Self {
        Self { store }
    }

    /// The settings of a group's registry.
    ///
    /// # Errors
    /// Not found when there is no such group.
    pub async fn get(&self, group: &Uidp) -> Result<RegistrySettings> {
        let mut reader = self.store.reader().await?;
        Ok(find(&mut reader, group).await?.0)
    }

    /// Replaces the settings of a group's registry. The same values again change nothing.
    ///
    /// # Errors
    /// Not found when there is no such group; aborted when `If-Match` names another version.
    pub async fn replace(&self, ctx: &Ctx, group: &Uidp, spec: RegistrySettingsSpec) -> Result<RegistrySettings> {
        let group = group.clone();
        self.store
            .write(ctx, move |tx| {
                Box::pin(async move {
                    let (known, is_set) = find(tx, &group).await?;
                    tx.ctx().check_match(&known)?;
                    if known.spec == spec {
                        return Ok(known);
                    }
                    let (settings, op) = if is_set {
                        let wish = RegistrySettings { spec, ..known.clone() };
                        (rows::update(tx, &known, &wish).await?, Op::Updated)
                    } else {
                        let (created_at, updated_at) = (tx.now(), tx.now());
                        let wish = RegistrySettings { spec, created_at, updated_at, ..known };
                        (rows::insert(tx, &wish).await?, Op::Created)
                    };
                    tx.announce(Noun::RegistrySettings, &group, op, &settings).await?;
                    Ok(settings)
                })
            })
            .await
    }
}

/// The settings, and whether somebody has set them.
async fn find(reader: &mut Reader, group: &Uidp) -> Result<(RegistrySettings, bool)> {
    if let Some(settings) = rows::get::<RegistrySettings>(reader, group).await? {
        return Ok((settings, true));
    }
    let Some(Group { uid, created_at, updated_at, revision, .. }) = rows::get::<Group>(reader, group).await? else {
        return Err(Error::not_found(Noun::Group, group.as_str()));
    };
    let spec = RegistrySettingsSpec::default();
    Ok((RegistrySettings { uid, spec, created_at, updated_at, revision }, false))
}

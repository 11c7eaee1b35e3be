package clients

import (
	"testing"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	newer "chainguard.dev/sdk/proto/chainguard/platform/registry/v2beta1"
	registry "chainguard.dev/sdk/proto/platform/registry/v1"
)

// As the Terraform provider does: it writes repositories, tags and deployments by v1 alone.
func TestRegistryOfV1(t *testing.T) {
	w := newWorld(t)
	ctx := deadline(t)
	conn := w.conn(t)
	client := registry.NewRegistryClient(conn)

	wish := &registry.Repo{
		Name:        "app",
		CatalogTier: registry.CatalogTier_APPLICATION,
		Bundles:     []string{"fips", "base"},
		Aliases:     []string{"nginx:latest"},
		Readme:      "# App\n\nRun it by `docker run <image>`.\n",
	}
	repo := got(client.CreateRepo(ctx, &registry.CreateRepoRequest{ParentId: w.org, Repo: wish}))(t)
	again := got(client.CreateRepo(ctx, &registry.CreateRepoRequest{ParentId: w.org, Repo: wish}))(t)
	same(t, "the same again", again.String(), repo.String())
	_, err := client.CreateRepo(ctx, &registry.CreateRepoRequest{ParentId: w.org, Repo: wish, PreventExisting: true})
	same(t, "a second one", status.Code(err), codes.AlreadyExists)
	listed := got(client.ListRepos(ctx, &registry.RepoFilter{Id: repo.GetId()}))(t)
	same(t, "what is listed", listed.GetItems()[0].String(), repo.String())
	read := got(w.owner.Registry().ReposService().GetRepo(ctx, &newer.GetRepoRequest{Uid: repo.GetId()}))(t)
	same(t, "its tier in v2beta1", read.GetCatalogTier(), newer.CatalogTier_CATALOG_TIER_APPLICATION)
	readme := got(w.owner.Registry().ReposService().GetRepoReadme(ctx, &newer.GetRepoReadmeRequest{Uid: repo.GetId()}))(t)
	same(t, "its readme in v2beta1", readme.GetContent(), wish.GetReadme())
	repo.Description = "The app"
	repo = got(client.UpdateRepo(ctx, repo))(t)
	same(t, "a description", repo.GetDescription(), "The app")

	tag := got(client.CreateTag(ctx, &registry.CreateTagRequest{RepoId: repo.GetId(), Tag: &registry.Tag{Name: "latest"}}))(t)
	same(t, "a digest that is not there yet", tag.GetDigest(), "")
	tag.Bundles = []string{"base"}
	tag = got(client.UpdateTag(ctx, tag))(t)
	tags := got(client.ListTags(ctx, &registry.TagFilter{Id: tag.GetId()}))(t)
	same(t, "the tag", tags.GetItems()[0].String(), tag.String())
	summary := got(client.GetRepoTagsSummary(ctx, &registry.GetRepoTagsSummaryRequest{RepoId: repo.GetId()}))(t)
	same(t, "tags", summary.GetTagCount(), int64(1))

	charts := []*registry.HelmChart{{Repo: "oci://charts.example.com/app"}}
	deploy := &registry.CreateDeploymentRequest{ParentId: repo.GetId(), Charts: charts}
	got(client.CreateDeployment(ctx, deploy))(t)
	_, err = client.CreateDeployment(ctx, deploy)
	same(t, "a second deployment", status.Code(err), codes.AlreadyExists)
	deployed := got(client.GetDeployment(ctx, &registry.GetDeploymentRequest{RepoId: repo.GetId()}))(t)
	same(t, "a chart without a name", deployed.GetCharts()[0].Chart == nil, true)
	got(client.UpdateDeployment(ctx, &registry.UpdateDeploymentRequest{RepoId: repo.GetId()}))(t)
	_, err = client.GetDeployment(ctx, &registry.GetDeploymentRequest{RepoId: repo.GetId()})
	same(t, "a deployment without charts", status.Code(err), codes.NotFound)

	got(client.DeleteTag(ctx, &registry.DeleteTagRequest{Id: tag.GetId()}))(t)
	got(client.DeleteRepo(ctx, &registry.DeleteRepoRequest{Id: repo.GetId()}))(t)
	listed = got(client.ListRepos(ctx, &registry.RepoFilter{Id: repo.GetId()}))(t)
	same(t, "a deleted repository", len(listed.GetItems()), 0)
}

func TestOverlays(t *testing.T) {
	w := newWorld(t)
	ctx := deadline(t)
	clients := w.owner.Registry()
	repo := got(clients.ReposService().CreateRepo(ctx, &newer.CreateRepoRequest{Parent: w.org, Repo: &newer.Repo{Name: "app"}}))(t)
	config := &newer.CustomOverlay{Contents: &newer.CustomOverlay_ImageContents{Packages: []string{"curl"}}}
	overlay := got(clients.OverlaysService().CreateOverlay(ctx, &newer.CreateOverlayRequest{
		Parent: w.org, Overlay: &newer.Overlay{Name: "tools", Config: config},
	}))(t)
	binding := got(clients.OverlayBindingsService().CreateOverlayBinding(ctx, &newer.CreateOverlayBindingRequest{
		Parent: repo.GetUid(), Overlay: "tools", Tags: []string{"latest"},
	}))(t)
	same(t, "what is bound", binding.GetOverlay().String(), overlay.String())
	_, err := clients.OverlaysService().DeleteOverlay(ctx, &newer.DeleteOverlayRequest{Uid: overlay.GetUid()})
	same(t, "an overlay that is bound", status.Code(err), codes.FailedPrecondition)
	got(clients.OverlayBindingsService().DeleteOverlayBinding(ctx, &newer.DeleteOverlayBindingRequest{Uid: binding.GetUid()}))(t)
	got(clients.OverlaysService().DeleteOverlay(ctx, &newer.DeleteOverlayRequest{Uid: overlay.GetUid()}))(t)
}

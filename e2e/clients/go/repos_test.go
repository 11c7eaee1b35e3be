package clients

import (
	"slices"
	"testing"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/fieldmaskpb"

	registry "chainguard.dev/sdk/proto/chainguard/platform/registry/v2beta1"
	common "chainguard.dev/sdk/proto/platform/common/v1"
)

func TestRepos(t *testing.T) {
	w := newWorld(t)
	repos := w.owner.Registry().ReposService()
	ctx := deadline(t)
	create := func(name string) *registry.Repo {
		return got(repos.CreateRepo(ctx, &registry.CreateRepoRequest{Parent: w.org, Repo: &registry.Repo{
			Name:        name,
			CatalogTier: registry.CatalogTier_CATALOG_TIER_BASE,
			Bundles:     []string{"fips", "base"},
			ActiveTags:  []string{"latest", "1"},
			CustomOverlay: &registry.CustomOverlay{
				Contents:    &registry.CustomOverlay_ImageContents{Packages: []string{"curl"}},
				Environment: map[string]string{"LANG": "C"},
			},
		}}))(t)
	}
	repo := create("app")
	create("web")
	_, err := repos.CreateRepo(ctx, &registry.CreateRepoRequest{Parent: w.org, Repo: &registry.Repo{Name: "app"}})
	same(t, "a second one of the name", status.Code(err), codes.AlreadyExists)

	read := got(repos.GetRepo(ctx, &registry.GetRepoRequest{Uid: repo.GetUid()}))(t)
	same(t, "what is read", read.String(), repo.String())
	if !slices.Equal(read.GetBundles(), []string{"fips", "base"}) {
		t.Errorf("the order of bundles is not kept: %v", read.GetBundles())
	}
	repo = got(repos.UpdateRepo(ctx, &registry.UpdateRepoRequest{
		Repo:       &registry.Repo{Uid: repo.GetUid(), Description: "the app", Bundles: []string{"base"}},
		UpdateMask: &fieldmaskpb.FieldMask{Paths: []string{"description", "bundles"}},
	}))(t)
	same(t, "description", repo.GetDescription(), "the app")
	same(t, "bundles", len(repo.GetBundles()), 1)
	same(t, "environment", repo.GetCustomOverlay().GetEnvironment()["LANG"], "C")

	all := got(w.owner.Registry().ListReposAll(ctx, &registry.ListReposRequest{
		Uidp:     &common.UIDPFilter{DescendantsOf: w.org},
		PageSize: 1,
	}))(t)
	same(t, "repositories", len(all), 2)
	name := "web"
	page := got(repos.ListRepos(ctx, &registry.ListReposRequest{Name: &name}))(t)
	same(t, "by name", page.GetTotalCount(), 1)
	// How the Terraform provider looks for one of no group.
	page = got(repos.ListRepos(ctx, &registry.ListReposRequest{Name: &name, Uidp: &common.UIDPFilter{ChildrenOf: "/"}}))(t)
	same(t, "outside every group", page.GetTotalCount(), 0)

	got(repos.DeleteRepo(ctx, &registry.DeleteRepoRequest{Uid: repo.GetUid()}))(t)
	_, err = repos.GetRepo(ctx, &registry.GetRepoRequest{Uid: repo.GetUid()})
	same(t, "a deleted repository", status.Code(err), codes.NotFound)
}

package clients

import (
	"testing"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/fieldmaskpb"

	iam "chainguard.dev/sdk/proto/chainguard/platform/iam/v2beta1"
)

func TestAccountAssociations(t *testing.T) {
	w := newWorld(t)
	associations := w.owner.IAM().AccountAssociationsService()
	ctx := deadline(t)
	wish := &iam.AccountAssociation{
		Name:   "accounts",
		Amazon: &iam.AccountAssociation_Amazon{Account: "123456789012"},
		Google: &iam.AccountAssociation_Google{ProjectId: "acme", ProjectNumber: "415104041262"},
	}
	made := got(associations.CreateAccountAssociation(ctx, &iam.CreateAccountAssociationRequest{Parent: w.org, AccountAssociation: wish}))(t)
	same(t, "its identifier", made.GetUid(), w.org)
	_, err := associations.CreateAccountAssociation(ctx, &iam.CreateAccountAssociationRequest{Parent: w.org, AccountAssociation: wish})
	same(t, "a second one", status.Code(err), codes.AlreadyExists)

	// Where the server looks for Google nothing listens.
	check := func(provider iam.AccountProviderType) *iam.CheckAccountAssociationResponse {
		return got(associations.CheckAccountAssociation(ctx, &iam.CheckAccountAssociationRequest{Uid: w.org, ProviderType: provider}))(t)
	}
	refused := check(iam.AccountProviderType_ACCOUNT_PROVIDER_TYPE_GOOGLE)
	same(t, "a cloud that is gone", refused.GetStatus(), iam.CheckStatus_CHECK_STATUS_NOT_READY)
	same(t, "its reason", refused.GetReason(), "error exchanging credentials")
	same(t, "an account that is not there", check(iam.AccountProviderType_ACCOUNT_PROVIDER_TYPE_AZURE).GetReason(), "not configured")

	// As the Terraform provider updates: what is left out is cleared.
	changed := got(associations.UpdateAccountAssociation(ctx, &iam.UpdateAccountAssociationRequest{
		AccountAssociation: &iam.AccountAssociation{Uid: w.org, Name: "accounts", Google: wish.GetGoogle()},
		UpdateMask:         &fieldmaskpb.FieldMask{Paths: []string{"*"}},
	}))(t)
	same(t, "an account that was left out", changed.GetAmazon() == nil, true)
	read := got(associations.GetAccountAssociation(ctx, &iam.GetAccountAssociationRequest{Uid: w.org}))(t)
	same(t, "what is read", read.String(), changed.String())
	for range 2 {
		got(associations.DeleteAccountAssociation(ctx, &iam.DeleteAccountAssociationRequest{Uid: w.org}))(t)
	}
}

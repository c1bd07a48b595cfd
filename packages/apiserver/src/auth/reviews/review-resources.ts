import type { Catalogue } from '@kubewright/kube/schema';
import { define } from '../../kinds/define.ts';
import type { ResourceDefinition } from '../../model/resource-definition.ts';
import type { Authenticator } from '../authenticator.ts';
import type { Authorizer } from '../authorizer.ts';
import type { RuleResolver } from '../rbac/rule-resolver.ts';
import { localAccessReview, selfAccessReview, subjectAccessReview } from './access-reviews.ts';
import { selfReview, tokenReview } from './identity-reviews.ts';
import { rulesReview } from './rules-review.ts';

/** What questions about users are answered with. */
export type ReviewSources = {
  readonly authorize: Authorizer;
  readonly authenticate: Authenticator;
  readonly resolver: RuleResolver;
  readonly now: () => Date;
  readonly audiences: readonly string[];
};

type Answer = NonNullable<ResourceDefinition['answer']>;

const AUTHENTICATION = 'authentication.k8s.io/v1';
const AUTHORIZATION = 'authorization.k8s.io/v1';

/** Questions about users as resources that can only be created: the answer comes back, and nothing is stored. */
export function reviewResources(sources: ReviewSources, catalogue: Catalogue): readonly ResourceDefinition[] {
  const review = (apiVersion: string, kind: string, answer: Answer, namespaced = false): ResourceDefinition =>
    define(
      {
        apiVersion,
        kind,
        resource: `${kind.toLowerCase()}s`,
        namespaced,
        strategy: {},
        rest: { verbs: ['create'], answer },
      },
      catalogue,
    );
  return [
    review(AUTHENTICATION, 'SelfSubjectReview', selfReview(sources)),
    review(AUTHENTICATION, 'TokenReview', tokenReview(sources)),
    review(AUTHORIZATION, 'LocalSubjectAccessReview', localAccessReview(sources), true),
    review(AUTHORIZATION, 'SelfSubjectAccessReview', selfAccessReview(sources)),
    review(AUTHORIZATION, 'SelfSubjectRulesReview', rulesReview(sources)),
    review(AUTHORIZATION, 'SubjectAccessReview', subjectAccessReview(sources)),
  ];
}

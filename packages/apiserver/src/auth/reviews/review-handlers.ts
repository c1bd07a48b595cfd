import type { Authenticator } from '../authenticator.ts';
import type { Authorizer } from '../authorizer.ts';
import type { RuleResolver } from '../rbac/rule-resolver.ts';
import { localAccessReview, selfAccessReview, subjectAccessReview } from './subject-access-review.ts';
import { selfReview, tokenReview } from './token-review.ts';
import type { ReviewHandler } from './review-handler.ts';
import { rulesReview } from './rules-review.ts';

/** What reviews look at. */
export type ReviewSources = {
  readonly authorize: Authorizer;
  readonly authenticate: Authenticator;
  readonly resolver: RuleResolver;
  readonly now: () => Date;
  readonly audiences: readonly string[];
};

/** What reviews are responded to with, by kind. */
export function reviewHandlers(sources: ReviewSources): Readonly<Record<string, ReviewHandler>> {
  return {
    SelfSubjectReview: selfReview(sources),
    TokenReview: tokenReview(sources),
    LocalSubjectAccessReview: localAccessReview(sources),
    SelfSubjectAccessReview: selfAccessReview(sources),
    SelfSubjectRulesReview: rulesReview(sources),
    SubjectAccessReview: subjectAccessReview(sources),
  };
}

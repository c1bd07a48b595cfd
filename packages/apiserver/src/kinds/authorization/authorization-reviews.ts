import type { Declaration } from '../../model/declaration.ts';
import { reviewDeclaration } from '../review-declaration.ts';

const VERSION = 'authorization.k8s.io/v1';

export const AUTHORIZATION_REVIEWS: readonly Declaration[] = [
  { ...reviewDeclaration(VERSION, 'LocalSubjectAccessReview'), namespaced: true },
  reviewDeclaration(VERSION, 'SelfSubjectAccessReview'),
  reviewDeclaration(VERSION, 'SelfSubjectRulesReview'),
  reviewDeclaration(VERSION, 'SubjectAccessReview'),
];

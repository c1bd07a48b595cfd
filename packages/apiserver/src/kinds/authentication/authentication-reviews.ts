import type { Declaration } from '../../model/declaration.ts';
import { reviewDeclaration } from '../review-declaration.ts';

const VERSION = 'authentication.k8s.io/v1';

export const AUTHENTICATION_REVIEWS: readonly Declaration[] = [
  reviewDeclaration(VERSION, 'SelfSubjectReview'),
  reviewDeclaration(VERSION, 'TokenReview'),
];

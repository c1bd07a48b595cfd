import type { Attack } from './attack.ts';
import { cancelledRequests } from './cancelled-requests.ts';
import { forgedReviews } from './forged-reviews.ts';
import { kill } from './kill/kill.ts';

/** In the order in which they are played. */
export const ATTACKS: readonly Attack[] = [cancelledRequests, forgedReviews, kill];

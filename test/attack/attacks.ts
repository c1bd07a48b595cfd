import type { Attack } from './attack.ts';
import { cancelledRequests } from './cancelled-requests.ts';

/** In the order in which they are played. */
export const ATTACKS: readonly Attack[] = [cancelledRequests];

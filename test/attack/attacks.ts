import { apiRequests } from './api-requests.ts';
import type { Attack } from './attack.ts';
import { cancelledRequests } from './cancelled-requests.ts';
import { foreignPeers } from './foreign-peers.ts';
import { foreignBrokers } from './foreign-brokers.ts';
import { forgedReviews } from './forged-reviews.ts';
import { halfSentBodies } from './half-sent-bodies.ts';
import { hostilePatterns } from './hostile-patterns.ts';
import { impossibleNames } from './impossible-names.ts';
import { signals } from './signals.ts';
import { silentBrokers } from './silent-brokers.ts';
import { kill } from './kill/kill.ts';
import { longLists } from './long-lists.ts';
import { metadataRoundTrips } from './metadata-round-trips.ts';

/** In the order in which they are played. */
export const ATTACKS: readonly Attack[] = [
  cancelledRequests,
  apiRequests,
  foreignPeers,
  foreignBrokers,
  halfSentBodies,
  forgedReviews,
  hostilePatterns,
  longLists,
  metadataRoundTrips,
  silentBrokers,
  impossibleNames,
  signals,
  kill,
];

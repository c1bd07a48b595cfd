import { ENDING_GRAPHS } from './ending-graphs.ts';
import type { OwnerGraph } from './graph.ts';
import { OWNING_GRAPHS } from './owning-graphs.ts';

/** Shapes of ownership, and how they end. Played to our controllers and to kube-controller-manager. */
export const OWNER_GRAPHS: readonly OwnerGraph[] = [...OWNING_GRAPHS, ...ENDING_GRAPHS];

import { FINALIZER as CLASS } from './classes/api.ts';
import { FINALIZER as HANDOVER, NAME_FINALIZER } from './migration/api.ts';
import { CLEANUP_FINALIZER } from './ownership/api.ts';

/** Of objects of the operators' kinds: each is removed by its operator, when it has put things in order. */
export const FINALIZERS: readonly string[] = [CLASS, HANDOVER, NAME_FINALIZER, CLEANUP_FINALIZER];

import { classesDay } from './classes.ts';
import type { OperatorDay } from './operator-scenario.ts';
import { ownershipRightsDay } from './ownership.ts';

/** A day of each operator, by its name: what it does for its users, and all that its rules are for. */
export const OPERATOR_DAYS: Readonly<Record<string, OperatorDay>> = {
  ownership: ownershipRightsDay,
  classes: classesDay,
};

import { schedulesDay } from './capture-schedules.ts';
import { classesRightsDay } from './classes.ts';
import { driftRightsDay } from './drift-rights.ts';
import { migrationDay } from './migration/migration.ts';
import type { OperatorDay } from './operator-scenario.ts';
import { ownershipRightsDay } from './ownership.ts';

/** A day of each operator, by its name: what it does for its users, and all that its rules are for. */
export const OPERATOR_DAYS: Readonly<Record<string, OperatorDay>> = {
  ownership: ownershipRightsDay,
  capture: schedulesDay(),
  classes: classesRightsDay,
  drift: driftRightsDay,
  migration: migrationDay({
    workloads: ['Sequential', 'Deployment', 'SequentialPod'],
    unhooked: true,
    evicts: true,
    ttlSecs: 5,
  }),
};

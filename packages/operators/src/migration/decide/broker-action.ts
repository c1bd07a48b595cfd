import type { MigrationAction } from './observed-migration.ts';

const TYPES = [
  'createMirror',
  'declareQueue',
  'holdPrimary',
  'declarePlainQueue',
  'storeQueues',
  'deleteQueues',
  'send',
  'tell',
  'leaveCommand',
] as const;

/** What is done at the broker. */
export type BrokerAction = Extract<MigrationAction, { readonly type: (typeof TYPES)[number] }>;

export function isBrokerAction(action: MigrationAction): action is BrokerAction {
  return TYPES.some((type) => type === action.type);
}

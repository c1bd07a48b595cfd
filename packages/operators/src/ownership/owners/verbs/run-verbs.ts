import type { CommandCall, CommandRun, CommandStage } from '../../../kit/operator.ts';
import { namesRecord } from '../recorded/read-record.ts';
import { migrateRecorded, planOfRecord } from '../recorded/run-recorded.ts';
import { scanRecord } from '../recorded/scan-record.ts';
import { runScan } from '../scan/run-scan.ts';
import { checkDryRun, runMigrate, runPlan } from '../take-over/run-take-over.ts';

type Connect = () => Promise<CommandStage>;

/** `kubewright owners scan`, of a cluster or of the record of a tool. */
export function scan(call: CommandCall, connect: Connect): Promise<void> {
  return namesRecord(call.options) ? scanRecord(call, connect) : runScan(call, connect);
}

/** `kubewright owners plan`, of one object or of the record of a tool. */
export function plan(call: CommandRun, connect: Connect): Promise<void> {
  return namesRecord(call.options) ? planOfRecord(call, connect) : runPlan(call, connect);
}

/** `kubewright owners migrate`, of one object, of all that are split, or of the record of a tool. */
export async function migrate(call: CommandCall, connect: Connect): Promise<void> {
  checkDryRun(call.options['dryRun']);
  return namesRecord(call.options) ? migrateRecorded(call, connect) : runMigrate(call, connect);
}

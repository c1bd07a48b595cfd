import type { Json } from '@kubewright/kube';
import { formatPath } from '@kubewright/kube/fields';
import type { CommandCall, CommandStage } from '../../../kit/operator.ts';
import { type Paint, printable } from '../../../kit/paint.ts';
import { describeOwner } from '../../read-managed-fields.ts';
import { describeScan } from '../scan/describe-scan.ts';
import { scanObject } from '../scan/scan-kind.ts';
import { scanFindings, type ScanReport, scanReport } from '../scan/scan-report.ts';
import { objectTitle, planRecord, type RecordPlan } from './plan-record.ts';
import { readRecord } from './read-record.ts';

/** `kubewright owners scan --release NAME`: the split ownership of a record's objects, and what keeps what was dropped. */
export async function scanRecord(call: CommandCall, connect: () => Promise<CommandStage>): Promise<void> {
  const { record, stage } = await readRecord(call, connect);
  const planned = await planRecord(record, call.options, stage);
  const report = reportOf(planned);
  stage.print({
    json: { ...(scanFindings(report) as Record<string, Json>), kept: keptFields(planned) },
    text: () => `${describeScan(report, stage.paint)}${describeKept(planned, stage.paint)}`,
  });
}

function reportOf({ objects }: RecordPlan): ScanReport {
  const found = objects.map(({ live }) => scanObject(live, live));
  const scan = {
    objects: found.length,
    split: found.filter(({ splits }) => splits.length > 0).length,
    splits: found.flatMap(({ splits }) => splits),
    unreadable: found.flatMap(({ unreadable }) => unreadable),
    leftovers: found.flatMap(({ leftovers }) => leftovers),
  };
  return { ...scanReport([scan], []), kinds: new Set(objects.map(({ live }) => live.kind)).size };
}

/** What is dropped and still there, by object. */
function keptFields({ objects }: RecordPlan): Json {
  return objects.flatMap(({ object, plan }) =>
    plan.kind !== 'rewrite'
      ? []
      : [
          {
            object: objectTitle(object),
            fields: plan.moves.map(({ path, from }) => ({
              path: formatPath(path),
              owners: from.map(describeOwner),
            })),
          },
        ],
  );
}

function describeKept({ record, objects, manager }: RecordPlan, paint: Paint): string {
  const kept = objects.filter(({ plan }) => plan.kind === 'rewrite');
  const lines = kept.map(({ object, plan }) => {
    const [first] = plan.kind === 'rewrite' ? plan.moves : [];
    const owners = (first?.from ?? []).map(describeOwner).join(', ');
    const example = first === undefined ? '' : formatPath(first.path);
    return `  ${printable(`${objectTitle(object)}   such as ${example}, of ${owners === '' ? 'nobody' : owners}`)}\n`;
  });
  if (lines.length === 0) return '';
  const title = paint('bold', printable(`${record.title}: ${manager} has dropped what others keep`));
  return `${title}\n${lines.join('')}"owners plan" with the same options shows what ends it\n`;
}

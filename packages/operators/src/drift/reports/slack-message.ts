import { isJsonObject, type Json, type JsonObject } from '@kubewright/kube';
import { textAt } from '../annotations/read-annotation.ts';
import type { DriftReport } from './drift-report.ts';

const TITLES = {
  Detected: ':rotating_light: Drift detected',
  Updated: ':rotating_light: Drift changed',
  Resolved: ':white_check_mark: Drift resolved',
} as const;

const VERBS: Readonly<Record<string, string>> = { CREATE: 'creates', UPDATE: 'updates', DELETE: 'deletes' };
/** Slack rejects longer texts of a section. */
const LONGEST = 3000;

/** A report as a message for an incoming webhook of Slack, and of what understands its format. */
export function slackMessage({ spec }: DriftReport): JsonObject {
  const [parent, child, request] = [spec['parent'], spec['child'], spec['request']].map(objectOf);
  const namespace = textAt(child ?? {}, 'namespace');
  const where = namespace === undefined ? '' : ` in ${escaped(namespace)}`;
  const title = `${TITLES[spec.phase]}: ${nameOf(child)}${where}`;
  const user = escaped(textAt(request ?? {}, 'user') ?? 'somebody');
  const verb = VERBS[textAt(request ?? {}, 'operation') ?? ''] ?? 'changes';
  const what = `\`${user}\` ${verb} *${nameOf(child)}*, but nobody has changed *${nameOf(parent)}*, which owns it.`;
  const text = spec.phase === 'Resolved' ? resolutionText(spec) : what;
  return {
    text: title,
    blocks: [
      section(`*${title}*\n${text}`),
      ...(spec.phase === 'Resolved' ? [] : [section(commandText(child, namespace))]),
      { type: 'context', elements: [{ type: 'mrkdwn', text: `id ${escaped(spec.id)}` }] },
    ],
  };
}

const RESOLUTIONS: Readonly<Record<string, string>> = {
  Approved: 'It was approved.',
  ParentChanged: 'Its owner was changed.',
  Deleted: 'The object was deleted.',
  NotRepeated: 'It was not tried again.',
};

function resolutionText(spec: JsonObject): string {
  return RESOLUTIONS[textAt(spec, 'resolution') ?? ''] ?? 'It is no longer reported.';
}

function commandText(child: JsonObject | undefined, namespace: string | undefined): string {
  const target = `${(textAt(child ?? {}, 'kind') ?? '').toLowerCase()}/${textAt(child ?? {}, 'name') ?? ''}`;
  const flag = namespace === undefined ? '' : ` -n ${namespace}`;
  return `\`\`\`kubewright drift show ${escaped(`${target}${flag}`)}\`\`\``;
}

function section(text: string): Json {
  return { type: 'section', text: { type: 'mrkdwn', text: text.slice(0, LONGEST) } };
}

function nameOf(reference: JsonObject | undefined): string {
  return escaped(`${textAt(reference ?? {}, 'kind') ?? ''} ${textAt(reference ?? {}, 'name') ?? ''}`);
}

/** What Slack takes for markup; a backtick would end the code that it stands in. */
function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('`', "'");
}

function objectOf(value: Json | undefined): JsonObject | undefined {
  return isJsonObject(value) ? value : undefined;
}

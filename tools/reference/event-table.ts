import { code, section, table } from './markdown.ts';
import { isNode, type Node, type OperatorSource, propertiesOf } from './operator-sources.ts';
import { possibleTexts } from './possible-texts.ts';

const EVENT_TYPES = ['Normal', 'Warning'];

type EventNote = {
  readonly types: readonly string[];
  readonly reasons: readonly string[];
  readonly isComplete: boolean;
};

/**
 * The Events that the source makes: objects with a `type` of `Normal` or `Warning`, a `reason` and a `message`. Some take
 * their reason from what they report, and the source alone cannot say which there are; the README of an operator does.
 */
export function eventTable(name: string, sources: readonly OperatorSource[]): string | undefined {
  const events = sources.flatMap((source) =>
    source.nodes
      .filter(({ type }) => type === 'ObjectExpression')
      .flatMap((object) => eventsOf(source, object, sources)),
  );
  const readme = `[README](../../packages/operators/src/${name}/README.md)`;
  const others = `Other Events have the reason of the state or failure that they report; the ${readme} lists them.`;
  return section(
    '## Events',
    table(['reason', 'type'], rowsOf(events)),
    events.some(({ isComplete }) => !isComplete) ? others : undefined,
  );
}

function rowsOf(events: readonly EventNote[]): readonly (readonly string[])[] {
  const reasons = [...new Set(events.flatMap((event) => event.reasons))].toSorted((one, other) =>
    one < other ? -1 : 1,
  );
  return reasons.map((reason) => {
    const types = events.filter((event) => event.reasons.includes(reason)).flatMap((event) => event.types);
    return [code(reason), EVENT_TYPES.filter((type) => types.includes(type)).join(' or ')];
  });
}

function eventsOf(
  source: OperatorSource,
  object: Node,
  sources: readonly OperatorSource[],
): readonly EventNote[] {
  const { type, status, reason, message } = Object.fromEntries(propertiesOf(object));
  // A condition has a status besides.
  if (reason === undefined || status !== undefined) return [];
  const types = isChangedEvent(object) ? EVENT_TYPES : possibleTexts(type, source, sources).texts;
  const isEvent = message !== undefined && types.some((text) => EVENT_TYPES.includes(text));
  if (!isEvent && !isChangedEvent(object)) return [];
  const { texts, isComplete } = possibleTexts(reason, source, sources);
  return [{ types, reasons: texts, isComplete }];
}

/** `{ ...event, reason: 'Other' }` */
function isChangedEvent(object: Node): boolean {
  const spread = Array.isArray(object['properties']) ? object['properties'].filter(isNode) : [];
  return spread.some(({ argument }) => isNode(argument) && argument['name'] === 'event');
}

import { type CustomObject, customResource, type Infer, s, type Stored } from '@kubewright/kube';
import { described } from '../../kit/described.ts';
import { GROUP } from '../api.ts';
import { MOST_CONTENTS } from '../decide/accepted-content.ts';

const { count, int64, text } = described;

const seenObject = (description: string) => s.optional(s.string({ maxLength: 4096, description }));

const hop = s.object(
  {
    apiVersion: text('The apiVersion of the object that was changed.'),
    kind: text('Its kind.'),
    name: text('Its name.'),
    generation: s.optional(int64('Its generation once the change was stored; 0 for kinds without one.')),
    user: text('Who changed it.'),
    timestamp: text('When, in RFC 3339.'),
    labels: s.optional(
      s.record(text('The value of the label.'), {
        description:
          'Labels that the user gave the change, by annotations kausality.io/trace-NAME. At most five.',
      }),
    ),
    tool: s.optional(
      s.object(
        {
          title: text('The tool, and its object.'),
          revision: s.optional(text('The revision that it applies.')),
          again: s.optional(described.flag('Whether it has applied this revision before.')),
        },
        { description: 'Of the object of a tool: what it applies.' },
      ),
    ),
  },
  { description: 'One change of the trace.' },
);

const decision = s.object(
  {
    time: s.string({ description: 'When it was last made, in RFC 3339.' }),
    times: s.integer({
      minimum: 1,
      description: 'How often the same was decided: a denied controller retries.',
    }),
    operation: s.oneOf(['CREATE', 'UPDATE', 'DELETE'], { description: 'What was to be done.' }),
    object: s.object(
      {
        apiVersion: text('Its apiVersion.'),
        kind: text('Its kind.'),
        name: text('Its name; of one that the server names, what it begins with and a *.'),
        uid: s.optional(s.string({ description: 'Its UID. Absent for an object that was being created.' })),
      },
      { description: 'The object that was to be changed: a child of the parent, or the parent itself.' },
    ),
    parentGeneration: s.optional(
      int64('The generation of the parent at that time. Absent: nothing owns the object.'),
    ),
    user: text('Who was to change it.'),
    reason: text('What the change was found to be, as Drift, Expected, Approved, Rejected or Frozen.'),
    allowed: described.flag('Whether it was admitted.'),
    mode: s.oneOf(['log', 'enforce'], { description: 'The mode that held for the object.' }),
    approval: s.optional(
      s.object(
        {
          mode: text('Its mode: once, generation or always.'),
          by: s.optional(text('Who approved.')),
          at: s.optional(text('When, in RFC 3339.')),
        },
        { description: 'The approval that the change has used. Absent: none.' },
      ),
    ),
    fields: s.list(text('A path.'), {
      maxItems: 20,
      description: 'Paths that an update changes, without their values.',
    }),
    trace: s.list(hop, {
      maxItems: 3,
      description: 'Why: the first hop and the last two, of the object; of drift, of its parent.',
    }),
    hops: count('How many hops the whole trace has.'),
    seen: s.optional(
      s.object(
        {
          old: seenObject('The object before the change, as JSON.'),
          new: seenObject('The object after it, as JSON.'),
          parent: seenObject('The parent, as JSON.'),
        },
        {
          description:
            'Of drift, for drift simulate: the objects as JSON, without Secrets; values that may be secret are numbers.',
        },
      ),
    ),
  },
  { description: 'One decision.' },
);

const content = s.object(
  {
    apiVersion: text('The apiVersion of the child.'),
    kind: text('Its kind.'),
    name: text('Its name.'),
    inputs: s.string({ description: 'A hash of the spec of the parent.' }),
    content: s.string({
      description:
        'A hash of the spec or data of the child, of a Secret without values. Empty: it was deleted.',
    }),
  },
  { description: 'What it has made of one child.' },
);

const log = s.object(
  {
    spec: s.object(
      {
        parent: s.object(
          { apiVersion: text('Its apiVersion.'), kind: text('Its kind.'), name: text('Its name.') },
          {
            description: 'The object whose log this is: the parent of what was changed, or what was changed.',
          },
        ),
        decisions: s.list(decision, { maxItems: 500, description: 'The oldest first.' }),
        contents: s.optional(
          s.list(content, {
            maxItems: MOST_CONTENTS,
            description: 'What its controller has made of its children, the latest last.',
          }),
        ),
      },
      { description: 'What was decided.' },
    ),
  },
  {
    description:
      'The latest decisions on what an object owns, and on the object itself where nothing owns it. Only the operator writes it; it is deleted with the object.',
  },
);

/**
 * Addition: the latest decisions on what an object owns, and on the object itself where nothing owns it. It has the name
 * of the object's uid, and is owned by it.
 */
export const DECISION_LOGS = customResource({
  group: GROUP,
  version: 'v1alpha1',
  kind: 'DecisionLog',
  plural: 'decisionlogs',
  shortNames: ['dlog'],
  categories: ['kubewright'],
  scope: 'Namespaced',
  schema: log,
  columns: [
    { name: 'Kind', type: 'string', jsonPath: '.spec.parent.kind' },
    { name: 'Parent', type: 'string', jsonPath: '.spec.parent.name' },
    { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' },
  ],
});

export type DecisionLog = Stored<CustomObject<Infer<typeof log>>>;
export type LoggedDecision = Infer<typeof decision>;
export type LoggedHop = LoggedDecision['trace'][number];

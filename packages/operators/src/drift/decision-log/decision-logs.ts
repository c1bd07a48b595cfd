import { type CustomObject, customResource, type Infer, s, type Stored } from '@kubewright/kube';
import { GROUP } from '../api.ts';
import { MOST_CONTENTS } from '../decide/accepted-content.ts';

const generation = () => s.optional(s.integer({ format: 'int64' }));

const seenObject = () => s.optional(s.string({ maxLength: 4096 }));

const hop = s.object({
  apiVersion: s.string(),
  kind: s.string(),
  name: s.string(),
  generation: generation(),
  user: s.string(),
  timestamp: s.string(),
  labels: s.optional(s.record(s.string())),
  tool: s.optional(
    s.object(
      { title: s.string(), revision: s.optional(s.string()), again: s.optional(s.boolean()) },
      { description: 'Of the object of a tool: what it applies.' },
    ),
  ),
});

const decision = s.object({
  time: s.string({ description: 'When it was last made, in RFC 3339.' }),
  times: s.integer({
    minimum: 1,
    description: 'How often the same was decided: a denied controller retries.',
  }),
  operation: s.oneOf(['CREATE', 'UPDATE', 'DELETE']),
  object: s.object({
    apiVersion: s.string(),
    kind: s.string(),
    name: s.string(),
    uid: s.optional(s.string({ description: 'Absent for an object that was being created.' })),
  }),
  parentGeneration: generation(),
  user: s.string(),
  reason: s.string(),
  allowed: s.boolean(),
  mode: s.oneOf(['log', 'enforce']),
  approval: s.optional(
    s.object({ mode: s.string(), by: s.optional(s.string()), at: s.optional(s.string()) }),
  ),
  fields: s.list(s.string(), {
    maxItems: 20,
    description: 'Paths that an update changes, without their values.',
  }),
  trace: s.list(hop, {
    maxItems: 3,
    description: 'Why: the first hop and the last two, of the object; of drift, of its parent.',
  }),
  hops: s.integer({ minimum: 0, description: 'How many hops the whole trace has.' }),
  seen: s.optional(
    s.object(
      { old: seenObject(), new: seenObject(), parent: seenObject() },
      {
        description:
          'Of drift, for drift simulate: the objects as JSON, without Secrets; values that may be secret are numbers.',
      },
    ),
  ),
});

const content = s.object({
  apiVersion: s.string(),
  kind: s.string(),
  name: s.string(),
  inputs: s.string({ description: 'A hash of the spec of the parent.' }),
  content: s.string({ description: 'A hash of the spec or data of the child, of a Secret without values.' }),
});

const log = s.object({
  spec: s.object({
    parent: s.object({ apiVersion: s.string(), kind: s.string(), name: s.string() }),
    decisions: s.list(decision, { maxItems: 500, description: 'The oldest first.' }),
    contents: s.optional(
      s.list(content, {
        maxItems: MOST_CONTENTS,
        description: 'What its controller has made of its children, the latest last.',
      }),
    ),
  }),
});

/**
 * Addition: the latest decisions on what an object owns, and on the object itself where nothing owns it. It has the name
 * of the object's uid, and is owned by it.
 */
export const DECISION_LOGS = customResource({
  group: GROUP,
  version: 'v1alpha1',
  kind: 'DecisionLog',
  plural: 'decisionlogs',
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

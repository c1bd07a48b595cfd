import { s } from '@kubewright/kube';
import { described } from '../../kit/described.ts';

const { count, int64, text, time } = described;

const refused = s.object(
  {
    reason: text('Why: ApplyInvalid, NotOwned, Conflict, ApplyForbidden or ApplyFailed.'),
    message: text('What the server said.'),
    generation: int64('The generation of the class that was applied.'),
    hash: text('A hash of the objects that were applied: others are tried at once.'),
    at: time('When the server rejected it.'),
  },
  { description: 'The last apply that the server rejected for good.' },
);

export const lifecycle = s.object(
  {
    reason: text('Reason of the phase.'),
    since: time('Since when the class has its phase.'),
    progress_at: time(
      'When more objects were last ready, or the class changed: the progress timeout runs from here.',
    ),
    ready: count('How many objects of the class are ready.'),
    total: count('How many objects the class has.'),
    unready_since: s.optional(
      time('Of an available class that is not ready: since when. Its grace runs from here.'),
    ),
    orphans_since: s.optional(
      time('Since when objects that are no longer wanted are to be deleted. Absent: there are none.'),
    ),
    applied_generation: s.optional(int64('The generation of which all objects were applied last.')),
    applied_hash: s.optional(text('A hash of all objects that were applied last.')),
    applied_at: s.optional(time('When all objects were applied last.')),
    apply_tries: s.optional(
      count('How often an apply has failed that may yet succeed: after five, the class is degraded.'),
    ),
    refused: s.optional(refused),
    reasons: s.optional(
      s.list(text('One reason.'), {
        description: 'Of a degraded class: all reasons that hold; the gravest is the reason.',
      }),
    ),
  },
  { description: 'Addition: all timers are computed from this and the observed objects.' },
);

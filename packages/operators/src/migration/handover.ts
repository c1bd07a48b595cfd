import { s } from '@kubewright/kube';
import { described } from '../kit/described.ts';

const { text, time } = described;
const count = (description: string) => s.integer({ minimum: 0, format: 'int64', description });

const member = (description: string) =>
  s.object(
    {
      pod: text('The name of the pod.'),
      uid: s.optional(text('Its UID. Absent: it is not made yet.')),
      instance: s.optional(
        s.string({ description: 'The consumer process; a different one has lost the state.' }),
      ),
    },
    { description },
  );

export const handover = s.object(
  {
    epoch: count('The number of the handover: a second one, or one that is tried again, has the next.'),
    from: member('The pod that has the state.'),
    to: member('The pod that gets it.'),
    mirror: s.string({ description: 'The queue that receives the same messages for the target pod.' }),
    snapshot: s.optional(
      s.object(
        {
          queue: text('The queue that it is in.'),
          chunks: count('How many chunks it is in, each in one message.'),
          bytes: count('How many bytes it has.'),
          sha256: text('Their SHA-256, in hex.'),
        },
        { description: 'The state as the pod wrote it to the broker.' },
      ),
    ),
    snapshotDigest: s.optional(
      text('The digest of that state, by the application: the target has to report the same.'),
    ),
    checkpoint: s.optional(
      s.object(
        {
          image: text('The image.'),
          sha256: text('The SHA-256 of the archive, in hex.'),
          bytes: count('How many bytes the archive has.'),
        },
        {
          description: 'The image that the target pod is restored from, and the archive that it was made of.',
        },
      ),
    ),
    sent: s.optional(s.string({ description: 'The step whose command was sent.' })),
    sentTime: s.optional(time('When it was sent.')),
    unheld: s.optional(
      s.string({
        description:
          'After the source was lost: the UID of the last pod of its name that may have started before the queue was held for the target.',
      }),
    ),
    lag: s.optional(
      s.object(
        {
          least: count('The fewest messages that it has been behind.'),
          since: time('Since when: without progress for MS2M_STALL_SECS the source is stopped.'),
        },
        { description: 'How far the target is behind the source, while it catches up.' },
      ),
    ),
    cut: s.optional(
      s.object(
        {
          watermarks: s.record(count('A number.'), {
            description: 'Highest applied number of each producer.',
          }),
          digest: text('The digest of the state of the source at the cut.'),
          targetDigest: s.optional(text('That of the target, which has to be the same.')),
          time: time('When the source had stopped.'),
        },
        { description: 'Where the source has stopped. The target applies as much, and no more.' },
      ),
    ),
    committed: s.boolean({
      default: false,
      description: 'Whether the handover is on record: the target has the state, and consumes from now on.',
    }),
  },
  { description: 'Addition: the current handover of the state from one pod to another.' },
);

import {
  MANIFEST_CAPTURE_REQUESTS,
  type OperatorPart,
  type OperatorParts,
  readCheckpoint,
} from '@kubewright/operators';
import { type ControllerOptions, type Manager, watchKind } from '@kubewright/runtime';

/** The account of the read API. */
const READER = 'capture-reader';

/**
 * Somebody reads each checkpoint that was captured, as the read API does it: a world has no network on which an API
 * server would call it.
 */
export function withReader(operator: OperatorParts): OperatorParts {
  const reading = (part: OperatorPart): OperatorPart => ({
    ...part,
    add(manager, env) {
      part.add(manager, env);
      if (part.account === READER) manager.addController(readerOf(manager));
    },
  });
  return { ...operator, parts: operator.parts.map(reading) };
}

const readerOf = ({ cache, client }: Manager): ControllerOptions => ({
  name: 'reader',
  sources: [watchKind(MANIFEST_CAPTURE_REQUESTS)],
  reconciler: {
    async reconcile(key) {
      const { checkpointName } = cache.get(MANIFEST_CAPTURE_REQUESTS, key)?.status ?? {};
      // What is missing or broken meanwhile is not what this is about; a right that is missing ends the world.
      if (checkpointName !== undefined) await readCheckpoint(client, checkpointName).catch(() => undefined);
      return {};
    },
  },
});

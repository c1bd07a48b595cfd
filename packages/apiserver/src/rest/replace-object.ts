import { recordedUpdate } from './record-update.ts';
import { admitUpdated } from './admit-mutating.ts';
import type { Written } from './create-object.ts';
import { decodeBody } from './decode-body.ts';
import { checkName, inRequestNamespace, withDistinctOwners } from './object-metadata.ts';
import { writeOptions } from './write-options.ts';
import type { ResourceRequest } from './resource-request.ts';
import type { RestContext } from './rest-context.ts';
import type { Steps } from '../request/steps.ts';
import { strategyOf, writeObject } from './write-object.ts';

/** PUT of an object or of a subresource that has its shape. */
export function* replaceObject(context: RestContext, request: ResourceRequest): Steps<Written> {
  const { definition, query, header, warnings, subresource } = request;
  const options = writeOptions('UpdateOptions', query, header('user-agent'));
  const decoded = decodeBody(definition, request.body, header('content-type'), options, request);
  const object = withDistinctOwners(inRequestNamespace(decoded, request), warnings);
  checkName(object, request.name);
  const strategy = strategyOf(request);
  return yield* writeObject(context, request, {
    dryRun: options.dryRun,
    strategy,
    creates: subresource === '' && definition.createOnUpdate === true,
    uid: object.metadata.uid,
    *updatedObject(live) {
      const recorded = yield* recordedUpdate(context, definition, live, object, {
        manager: options.manager,
        subresource,
        strategy,
        now: context.now(),
      });
      return yield* admitUpdated(context, request, recorded, live, options.dryRun);
    },
  });
}

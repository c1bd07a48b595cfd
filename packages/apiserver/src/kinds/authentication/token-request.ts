import type { Declaration } from '../../model/declaration.ts';
import { changeObject, orDefaultPointer, withField } from '../../objects/change-object.ts';
import { specOf } from '../../objects/read.ts';

/** `POST …/serviceaccounts/NAME/token`: the response is the TokenRequest with a token in its status. */
export const TOKEN_REQUEST: Declaration = {
  apiVersion: 'authentication.k8s.io/v1',
  kind: 'TokenRequest',
  resource: 'serviceaccounts',
  strategy: {
    default: (object) =>
      changeObject(object, (body) =>
        withField(body, 'spec', orDefaultPointer(specOf(object), 'expirationSeconds', 3600)),
      ),
  },
  rest: { verbs: ['create'], createOnly: true },
};

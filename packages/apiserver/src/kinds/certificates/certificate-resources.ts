import type { Declaration } from '../../model/declaration.ts';
import {
  certificateSigningRequest,
  certificateSigningRequestApproval,
  certificateSigningRequestStatus,
  signerNameOf,
} from './certificate-signing-request.ts';

/** `certificates.k8s.io/v1`. */
export const CERTIFICATE_RESOURCES: readonly Declaration[] = [
  {
    apiVersion: 'certificates.k8s.io/v1',
    kind: 'CertificateSigningRequest',
    resource: 'certificatesigningrequests',
    short: ['csr'],
    namespaced: false,
    strategy: certificateSigningRequest,
    status: certificateSigningRequestStatus,
    rest: {
      subresources: { approval: certificateSigningRequestApproval },
      selectableFields: { 'spec.signerName': signerNameOf },
    },
  },
];

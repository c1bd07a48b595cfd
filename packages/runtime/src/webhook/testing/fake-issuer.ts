import type { CertificateIssuer } from '../certificates/certificate-issuer.ts';
import { segmentFrom } from '../path-segment.ts';

/** Certificates that are only names: `CA 1`, `leaf 2 of CA 1`. Segments are counted, too. */
export function fakeIssuer(): CertificateIssuer {
  let made = 0;
  let segments = 0;
  return {
    async authority() {
      const id = `CA ${++made}`;
      return { id, cert: `-${id}-`, key: `key of ${id}` };
    },
    async leaf({ cert }) {
      const name = `leaf ${++made} of ${cert.slice(1, -1)}`;
      return { cert: name, key: `key of ${name}` };
    },
    segment: () => segmentFrom(Buffer.alloc(16, ++segments)),
  };
}

import { startFakeAuthority } from '../../server/src/edge/integrations/testing/fake-authority.ts';
import { acmeSuite } from './acme/acme-suite.ts';

acmeSuite(startFakeAuthority, false);

import { join } from 'node:path';
import { PROJECT_ROOT } from '../core/project-root';

/** Where `npm run build` puts the page. */
export const PAGE_DIRECTORY = join(PROJECT_ROOT, 'dist', 'dashboard');
export const PAGE_INDEX = join(PAGE_DIRECTORY, 'index.html');

/** In the document, in place of what the gateway makes for each answer: the page reads it there. */
export const NONCE_PLACE = '__STYLE_NONCE__';

/** Builds the page from its sources, unless the built page is newer. A container image has neither script nor sources. */
export const PAGE_BUILD_SCRIPT = join(PROJECT_ROOT, 'scripts', 'build-dashboard.mjs');

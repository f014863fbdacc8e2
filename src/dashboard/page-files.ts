import { join } from 'node:path';
import { PROJECT_ROOT } from '../core/project-root';

/** Where `npm run build` puts the page. */
export const PAGE_DIRECTORY = join(PROJECT_ROOT, 'dist', 'dashboard');
export const PAGE_INDEX = join(PAGE_DIRECTORY, 'index.html');

/** Placeholder in the document for the nonce of each answer; the page reads the nonce there. */
export const NONCE_PLACE = '__STYLE_NONCE__';
/** Placeholder for PUBLIC_URL, as the value of an attribute. */
export const PUBLIC_URL_PLACE = '__PUBLIC_URL__';

/**
 * The script that builds the page unless the built page is newer than its sources. A container image has neither script nor
 * sources.
 */
export const PAGE_BUILD_SCRIPT = join(PROJECT_ROOT, 'scripts', 'build-dashboard.mjs');

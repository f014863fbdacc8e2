import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** A text file of the project. `path` is relative to the root, with forward slashes. */
export interface SourceFile {
  path: string;
  text: string;
}

/** A fault and where it is: `src/ai/ai.service.ts:12`. */
export type Fault = string;

const LONGEST_FILE = 400;
const SHORTEST_REASON = 10;

const PRODUCTION = /^(src|libs)\//;
const SPEC = /\.spec\.ts$/;
const FIXTURE = /\.fixture\.ts$/;
const MIGRATION = /\/migrations\//;
const GENERATED = /^libs\/client\/api-types\.ts$/;

const FORWARD_REFERENCE = /\bforwardRef\b/;
const LEFT_FOR_LATER = /\b(?:T[O]DO|F[I]XME)\b/;
const MODULE_MOCK = /\bjest\s*\.\s*(mock|doMock|unstable_mockModule|setMock|createMockFromModule)\s*\(/;
const SUPPRESSION =
  /\/[/*]\s*(?:(?:oxlint|eslint)-disable(?:-next-line|-line)?|@ts-(?:ignore|expect-error|nocheck)|prettier-ignore)(?![\w-])/;
/** `-- why` of the linter, the words after `@ts-expect-error`, `: why` of the others. */
const REASON = /(?:\s--\s|:\s+|@ts-expect-error\s+)(?<reason>\S.*?)\s*(?:\*\/)?\s*$/;

function faultsByLine(file: SourceFile, isFault: (line: string) => boolean): Fault[] {
  return file.text.split('\n').flatMap((line, index) => (isFault(line) ? [`${file.path}:${index + 1}`] : []));
}

function lacksReason(line: string): boolean {
  const suppression = SUPPRESSION.exec(line);
  if (!suppression) return false;
  const reason = REASON.exec(line.slice(suppression.index))?.groups?.reason ?? '';
  return reason.length < SHORTEST_REASON;
}

/** What a file declares, and the suffix that it must have (Nest's vocabulary). */
const KINDS: readonly (readonly [holds: RegExp, suffixes: readonly string[]])[] = [
  [/^@Module\(/m, ['module']],
  [/^@Controller\(/m, ['controller']],
  [/^@Catch\(/m, ['filter']],
  [/^@Entity\(/m, ['entity']],
  [/^@Processor\(/m, ['processor']],
  [
    /^export class \w+ (?:extends \w+ )?implements (?:[^{]*\W)?CanActivate\b|^export class \w+ extends \w+Guard\b/m,
    ['guard'],
  ],
  [/^export class \w+ (?:extends \w+ )?implements (?:[^{]*\W)?NestInterceptor\b/m, ['interceptor']],
  [/^export class \w+ (?:extends \w+ )?implements (?:[^{]*\W)?PipeTransform\b/m, ['pipe']],
  [/^\s+@(?:OnDomainEvent|OnEvent|On)\(/m, ['listener']],
  [
    /^@Injectable\(/m,
    ['service', 'guard', 'filter', 'interceptor', 'pipe', 'listener', 'processor', 'adapter', 'provider', 'indicator'],
  ],
];

/** Upper case, as all our SQL is. */
const SQL = /\b(?:SELECT|INSERT INTO|UPDATE \w+ SET|DELETE FROM)\b|\bnow\(\) [+-] interval\b/;
/** All files of `messages`, `ai` and the dispatcher, and what Nest injects of the others. */
const SQL_IN_ROWS =
  /^src\/(?:(?:messages|ai|webhooks\/dispatch)\/(?!.*[.]rows[.]ts$)|(?:admin|api-keys|conversations|core\/(?!database\/)[\w-]+|integrations|live|media|status)\/.*[.](?:service|controller|listener|processor)[.]ts$)/;

const INTERVAL = /\bsetInterval\(/;
/** The pages of the dashboard run in a browser. */
const REPEATING = /^(?:src\/(?!core\/clock\/repeat[.]ts$)|libs\/(?!dashboard\/))/;

/** Rules for the sources that neither the compiler, the linter nor the import rules can check. */
export const SOURCE_RULES: Readonly<Record<string, (file: SourceFile) => Fault[]>> = {
  /** It would make Nest start in spite of a cycle; the import rules would only find the half that is a static import. */
  'has no forwardRef': (file) =>
    PRODUCTION.test(file.path) ? faultsByLine(file, (line) => FORWARD_REFERENCE.test(line)) : [],

  'has at most 400 lines': (file) => {
    if (!PRODUCTION.test(file.path) || [SPEC, MIGRATION, GENERATED].some((each) => each.test(file.path))) return [];
    const lines = file.text.trimEnd().split('\n').length;
    return lines > LONGEST_FILE ? [`${file.path}: ${lines} lines`] : [];
  },

  'says its kind by its suffix': (file) => {
    if (!PRODUCTION.test(file.path) || SPEC.test(file.path)) return [];
    return KINDS.filter(([holds]) => holds.test(file.text))
      .filter(([, suffixes]) => !suffixes.some((suffix) => file.path.endsWith(`.${suffix}.ts`)))
      .map(([, suffixes]) => `${file.path}: ${suffixes.join(', ')}`);
  },

  /** A column is added where the table's rows are declared; a service calls the functions named there. */
  'keeps SQL in .rows.ts files': (file) =>
    SQL_IN_ROWS.test(file.path) && !SPEC.test(file.path) ? faultsByLine(file, (line) => SQL.test(line)) : [],

  /** `repeat` keeps no process alive, and returns a function that stops it. */
  'repeats with `repeat`': (file) =>
    REPEATING.test(file.path) && !SPEC.test(file.path) ? faultsByLine(file, (line) => INTERVAL.test(line)) : [],

  'leaves nothing for later': (file) => faultsByLine(file, (line) => LEFT_FOR_LATER.test(line)),

  'gives a reason with each suppressed check': (file) => faultsByLine(file, lacksReason),

  /** Fakes are servers: the SDKs run unmodified against them. */
  'mocks no module': (file) => faultsByLine(file, (line) => MODULE_MOCK.test(line)),
};

/** Most source files of one folder; specs, fixtures and migrations do not count. */
const LARGEST_ROOM = 15;

/** The folders of `src` and `libs` that hold too many files to be one room. */
export function crowdedRooms(paths: readonly string[]): Fault[] {
  const rooms = new Map<string, number>();
  for (const path of paths) {
    if (!PRODUCTION.test(path) || !/[.]tsx?$/.test(path)) continue;
    if ([SPEC, FIXTURE, MIGRATION].some((each) => each.test(path))) continue;
    const room = path.slice(0, path.lastIndexOf('/'));
    rooms.set(room, (rooms.get(room) ?? 0) + 1);
  }
  return [...rooms].filter(([, files]) => files > LARGEST_ROOM).map(([room, files]) => `${room}: ${files} files`);
}

/** Every source file under the given folders of a root. */
export function* sourceFiles(root: string, folders: readonly string[]): Generator<SourceFile> {
  for (const folder of folders) {
    for (const entry of readdirSync(join(root, folder), { recursive: true, withFileTypes: true })) {
      if (!entry.isFile() || !/\.(tsx?|mts|cts|js|mjs|cjs)$/.test(entry.name)) continue;
      const path = join(entry.parentPath, entry.name);
      if (/[/\\](node_modules|dist)[/\\]/.test(path)) continue;
      yield { path: path.slice(root.length + 1).replaceAll('\\', '/'), text: readFileSync(path, 'utf8') };
    }
  }
}

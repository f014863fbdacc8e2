import { join, relative } from 'node:path';
import ts from 'typescript';
import { ROOT } from './scratch-tree';

export type Verb = 'insert' | 'update' | 'delete';

/** A place that writes a table. */
export interface Write {
  /** `src/ai/usage/usage.service.ts:12` */
  place: string;
  verb: Verb;
  /** Undefined if it cannot be determined. */
  table: string | undefined;
}

/** An entity class, and where it is declared and registered with `TypeOrmModule.forFeature`. */
export interface EntityPlace {
  table: string;
  declared: string;
  registered: string[];
}

export interface Writes {
  writes: Write[];
  entities: EntityPlace[];
}

/** A computed name in a template literal. */
const COMPUTED = '\u0000';
const NAME = `"?([\\w${COMPUTED}]+)"?`;
const SQL: Readonly<Record<Verb, RegExp>> = {
  insert: new RegExp(`\\b(?:INSERT|MERGE)\\s+INTO\\s+${NAME}`, 'g'),
  update: new RegExp(`\\bUPDATE\\s+(?:ONLY\\s+)?${NAME}(?:\\s+(?:AS\\s+)?\\w+)?\\s+SET\\b`, 'g'),
  delete: new RegExp(`\\b(?:DELETE\\s+FROM|TRUNCATE)\\s+(?:ONLY\\s+)?${NAME}`, 'g'),
};

/** Methods of TypeORM that write, by what they do. */
const METHODS: Readonly<Record<string, Verb>> = {
  insert: 'insert',
  upsert: 'insert',
  into: 'insert',
  save: 'update',
  update: 'update',
  updateAll: 'update',
  increment: 'update',
  decrement: 'update',
  softDelete: 'update',
  softRemove: 'update',
  restore: 'update',
  recover: 'update',
  delete: 'delete',
  deleteAll: 'delete',
  remove: 'delete',
  clear: 'delete',
};
/** Classes that have these methods. */
const WRITERS = /^(Repository|EntityManager|\w*QueryBuilder)$/;
/** Ours that write what they are given a selection of. */
const WRITING_FUNCTIONS: Readonly<Record<string, Verb>> = { deleteFirstUnlocked: 'delete' };

/** Methods of `Retention`, which deletes what their last argument, a function, selects. */
const RETENTION_METHODS = /^keepDays(Of)?$/;

/** Every write in the sources under `root`, specs and migrations left out. */
export function findWrites(root: string, paths: readonly string[]): Writes {
  const program = programOf(root, paths);
  const finder = new WriteFinder(program.getTypeChecker(), root);
  const sources = paths.map((path) => program.getSourceFile(join(root, path))!);
  for (const source of sources) finder.findEntities(source);
  for (const source of sources) finder.findWrites(source);
  return { writes: finder.writes, entities: [...finder.entities.values()] };
}

/** Knows only the types of our own code and of TypeORM: reading those of all packages takes long. */
function programOf(root: string, paths: readonly string[]): ts.Program {
  const options: ts.CompilerOptions = {
    target: ts.ScriptTarget.ES2024,
    module: ts.ModuleKind.ESNext,
    moduleResolution: ts.ModuleResolutionKind.Bundler,
    experimentalDecorators: true,
    strict: true,
    types: [],
  };
  const host = ts.createCompilerHost(options);
  host.resolveModuleNameLiterals = (literals, from) =>
    literals.map(({ text }) => {
      if (!text.startsWith('.') && text !== 'typeorm') return { resolvedModule: undefined };
      return ts.resolveModuleName(text, text === 'typeorm' ? join(ROOT, 'src/main.ts') : from, options, host);
    });
  return ts.createProgram({ rootNames: paths.map((path) => join(root, path)), options, host });
}

class WriteFinder {
  readonly writes: Write[] = [];
  /** By the name of the class. */
  readonly entities = new Map<string, EntityPlace>();

  constructor(
    private readonly checker: ts.TypeChecker,
    private readonly root: string,
  ) {}

  findEntities(source: ts.SourceFile): void {
    for (const node of source.statements) {
      if (!ts.isClassDeclaration(node) || !node.name) continue;
      for (const { expression } of ts.getDecorators(node) ?? []) {
        const [table] = ts.isCallExpression(expression) ? expression.arguments : [];
        if (!expression.getText().startsWith('Entity(') || !table || !ts.isStringLiteral(table)) continue;
        this.entities.set(node.name.text, { table: table.text, declared: this.placeOf(node), registered: [] });
      }
    }
  }

  findWrites(node: ts.Node): void {
    if (ts.isStringLiteralLike(node) || ts.isTemplateExpression(node)) this.readSql(node);
    if (ts.isPropertyAssignment(node)) this.readDueTable(node);
    if (ts.isCallExpression(node)) this.readCall(node);
    ts.forEachChild(node, (child) => this.findWrites(child));
  }

  private readSql(node: ts.StringLiteralLike | ts.TemplateExpression): void {
    const text = ts.isTemplateExpression(node)
      ? [node.head.text, ...node.templateSpans.map(({ literal }) => literal.text)].join(COMPUTED)
      : node.text;
    for (const [verb, pattern] of Object.entries(SQL) as [Verb, RegExp][]) {
      for (const [, table] of text.matchAll(pattern)) {
        this.add(node, verb, table!.includes(COMPUTED) ? undefined : table);
      }
    }
  }

  /** The SQL that claims due work is built from the name of the table. */
  private readDueTable({ name, initializer }: ts.PropertyAssignment): void {
    if (name.getText() === 'table' && ts.isStringLiteral(initializer))
      this.add(initializer, 'update', initializer.text);
  }

  private readCall(node: ts.CallExpression): void {
    const { expression, arguments: given } = node;
    if (ts.isIdentifier(expression)) {
      const verb = own(WRITING_FUNCTIONS, expression.text);
      if (verb) this.add(node, verb, this.tableOf(given[0] && this.checker.getTypeAtLocation(given[0])));
    }
    if (!ts.isPropertyAccessExpression(expression)) return;
    const method = expression.name.text;
    if (method === 'forFeature') this.register(node);
    const verb = own(METHODS, method);
    const target = this.checker.getTypeAtLocation(expression.expression);
    if (target.symbol?.name === 'Retention' && RETENTION_METHODS.test(method)) this.readRetention(node);
    if (!verb || !WRITERS.test(target.symbol?.name ?? '')) return;
    // Without an entity: `.delete()` before `.from(X)`, `.insert()` before `.into(X)`.
    const table = this.tableOf(target) ?? this.tableOf(given[0] && this.checker.getTypeAtLocation(given[0]));
    if (table !== undefined || given.length > 0) this.add(node, verb, table);
  }

  private readRetention(node: ts.CallExpression): void {
    const [selection] = this.checker.getTypeAtLocation(node.arguments.at(-1)!).getCallSignatures();
    this.add(node, 'delete', this.tableOf(selection?.getReturnType()));
  }

  /** Of an entity, its class, or what is about it: `Repository<X>`. */
  private tableOf(type: ts.Type | undefined): string | undefined {
    if (!type) return undefined;
    const named = this.entities.get(type.symbol?.name ?? '');
    if (named) return named.table;
    const [argument] = this.checker.getTypeArguments(type as ts.TypeReference) ?? [];
    return argument && this.entities.get(argument.symbol?.name ?? '')?.table;
  }

  private register(node: ts.CallExpression): void {
    const [list] = node.arguments;
    if (!list || !ts.isArrayLiteralExpression(list)) return;
    for (const element of list.elements) this.entities.get(element.getText())?.registered.push(this.placeOf(node));
  }

  private add(node: ts.Node, verb: Verb, table: string | undefined): void {
    this.writes.push({ place: this.placeOf(node), verb, table });
  }

  private placeOf(node: ts.Node): string {
    const source = node.getSourceFile();
    const { line } = source.getLineAndCharacterOfPosition(node.getStart());
    return `${relative(this.root, source.fileName)}:${line + 1}`;
  }
}

function own<T>(table: Readonly<Record<string, T>>, name: string): T | undefined {
  return Object.hasOwn(table, name) ? table[name] : undefined;
}

import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Characters of a message that are searched: more than a message has. */
const LONGEST = 32_768;
/** Longest word, in characters; longer ones are cut: more than a query has. A lexeme of PostgreSQL has at most 2,046 bytes. */
const LONGEST_WORD = 128;
/** Bytes of a text whose words need not be cut. */
const SHORT = 2_000;
/** With more messages, the index is built in the background. */
const FEW = 10_000;

/** Accents, as they stand after their letters. */
const MARKS = String.raw`[\u0300-\u036f\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u064b-\u065f\u0670]+`;
/**
 * Characters between words. They are listed because PostgreSQL's classes depend on the locale of the database.
 * https://www.postgresql.org/docs/18/functions-matching.html#POSIX-BRACKET-EXPRESSIONS
 */
const BETWEEN = String.raw`[\u0001-\u002f\u003a-\u0040\u005b-\u0060\u007b-\u00a9\u00ab-\u00b1\u00b4\u00b6-\u00b8\u00bb\u00bf\u00d7\u00f7\u02c2-\u02df\u037e\u0387\u055a-\u055f\u0589\u058a\u05be\u05c0\u05c3\u05f3\u05f4\u060c\u061b-\u061f\u066a-\u066d\u06d4\u0964\u0965\u0e4f\u0e5a\u0e5b\u1361-\u1368\u2000-\u206f\u20a0-\u20cf\u2116-\u2bff\u2e00-\u2e7f\u3000-\u3004\u3008-\u3020\u3030\u303d\u30fb\ufe00-\ufe6f\uff00-\uff0f\ufff0-\uffff\U0001f000-\U0001faff\U000e0000-\U000e0fff]+`;
/** Letters of scripts that do not separate words: Thai, Lao, Myanmar, Khmer, Japanese and Chinese. */
const UNSPACED = String.raw`[\u0e00-\u0e4e\u0e80-\u0eff\u1000-\u109f\u1780-\u17d3\u3005-\u3007\u3031-\u3035\u3041-\u30fa\u30fc-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]`;

/**
 * Finds messages by their words. An index on an expression needs no column and no statement more; PostgreSQL writes it only when
 * the content changes. A run of letters without spaces is indexed by its pairs of neighbours and its last letter: the pairs of a
 * text that is searched for are among them.
 */
export class SearchMessages1770800040000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    // While PostgreSQL builds an index it looks names up in no other schema than its own.
    const [{ own }] = (await runner.query('SELECT quote_ident(current_schema()) AS own')) as [{ own: string }];
    await runner.query(`
      CREATE FUNCTION searchable_text(content text) RETURNS text LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
      BEGIN
        -- Most texts are ASCII, which needs no folding by Unicode's rules.
        IF octet_length(content) = length(content) THEN RETURN lower(left(content, ${LONGEST})); END IF;
        RETURN translate(
          normalize(regexp_replace(normalize(${own}.fold_text(left(content, ${LONGEST})), NFKD), '${MARKS}', '', 'g'), NFKC),
          'øłđħŧı', 'oldhti'
        );
      END $$;
      CREATE FUNCTION text_words(searchable text) RETURNS text[] LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
      DECLARE
        words text;
      BEGIN
        words := regexp_replace(searchable, '${BETWEEN}', ' ', 'g');
        IF words ~ '[^ ]{${LONGEST_WORD + 1}}' THEN
          words := regexp_replace(words, '([^ ]{${LONGEST_WORD}})[^ ]+', '\\1', 'g');
        END IF;
        RETURN array_remove(string_to_array(words, ' '), '');
      END $$;
      CREATE FUNCTION neighbours(searchable text, is_whole boolean) RETURNS text[] LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
        SELECT coalesce(array_agg(DISTINCT pair), '{}') FROM regexp_matches(searchable, '${UNSPACED}+', 'g') AS run,
          LATERAL (
            SELECT letter || coalesce(lead(letter) OVER (ORDER BY place), '') AS pair
            FROM unnest(string_to_array(run[1], NULL)) WITH ORDINALITY AS letters (letter, place)
          ) pairs
        WHERE is_whole OR length(pair) = 2 OR length(run[1]) = 1
      $$;
      CREATE FUNCTION message_words(content text) RETURNS tsvector LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE COST 200 AS $$
      DECLARE
        searchable text;
      BEGIN
        -- Most texts are short and ASCII: a send pays for this.
        IF octet_length(content) < ${SHORT} AND octet_length(content) = length(content) THEN
          RETURN array_to_tsvector(
            array_remove(string_to_array(regexp_replace(lower(content), '[^a-z0-9]+', ' ', 'g'), ' '), '')
          );
        END IF;
        searchable := ${own}.searchable_text(content);
        IF octet_length(searchable) > length(searchable) AND searchable ~ '${UNSPACED}' THEN
          RETURN array_to_tsvector(
            ${own}.text_words(regexp_replace(searchable, '${UNSPACED}+', ' ', 'g')) || ${own}.neighbours(searchable, true)
          );
        END IF;
        RETURN array_to_tsvector(${own}.text_words(searchable));
      END $$;
      CREATE FUNCTION message_query(wanted text) RETURNS tsquery LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
      DECLARE
        searchable text := ${own}.searchable_text(wanted);
        words text[] := ${own}.text_words(regexp_replace(searchable, '${UNSPACED}+', ' ', 'g'));
        terms text[];
      BEGIN
        -- The last word may be unfinished, and a single letter begins a pair.
        SELECT array_agg('''' || word || '''' || CASE WHEN place = cardinality(words) THEN ':*' ELSE '' END) INTO terms
        FROM unnest(words) WITH ORDINALITY AS listed (word, place);
        SELECT coalesce(terms, '{}') || coalesce(array_agg('''' || pair || '''' || CASE WHEN length(pair) = 1 THEN ':*' ELSE '' END), '{}')
        INTO terms FROM unnest(${own}.neighbours(searchable, false)) AS pair;
        RETURN array_to_string(terms, ' & ')::tsquery;
      END $$;
    `);
    const [row] = (await runner.query(
      `SELECT count(*) <= ${FEW} AS "isSmall" FROM (SELECT FROM messages LIMIT ${FEW + 1}) m`,
    )) as {
      isSmall: boolean;
    }[];
    if (!row!.isSmall) return;
    // `MessageIndex` builds the same one where there are more.
    await runner.query(
      'CREATE INDEX messages_words ON messages USING gin (message_words(content)) WITH (gin_pending_list_limit = 65536)',
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      DROP INDEX IF EXISTS messages_words;
      DROP FUNCTION message_query(text);
      DROP FUNCTION message_words(text);
      DROP FUNCTION neighbours(text, boolean);
      DROP FUNCTION text_words(text);
      DROP FUNCTION searchable_text(text);
    `);
  }
}

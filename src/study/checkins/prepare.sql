-- What DuckDB does with check-in files. Each statement or part of one has a name; prepare.py fills in {...}.

-- name: read
-- nothing is quoted or escaped
read_csv('<pipe>', columns = {columns}, delim = '{delimiter}', timestampformat = '{time}',
    header = false, quote = '', escape = '', comment = '', auto_detect = false, new_line = '\n',
    max_line_size = {longest_line}, buffer_size = {buffer})

-- name: whole_lines
(SELECT row_number() OVER () AS line, coalesce(text, '') AS text FROM {source})

-- name: uncertain
SELECT line, text FROM {whole_lines}
WHERE NOT regexp_full_match(text, $good) OR $zero <> '' AND regexp_matches(text, $zero)

-- name: read_cities
CREATE TABLE cities AS SELECT latitude, longitude FROM {source} WHERE city IS NOT NULL

-- name: read_places
-- A place is found by a 64-bit hash of its venue: among 4 million venues, two share one with probability
-- 4e-7. Such venues would be reported as one venue with two rows. The first of several rows counts.
CREATE TABLE places AS
SELECT line, {key} AS key,
    struct_pack(latitude := latitude, longitude := longitude, category := coalesce(category, '')) AS place
FROM (SELECT row_number() OVER () AS line, * FROM {source}) WHERE venue IS NOT NULL

-- name: repeated
CREATE TABLE repeated AS SELECT further.line, further.place <> first.place AS differs
FROM (SELECT key, min(line) AS line FROM places GROUP BY key HAVING count(*) > 1) AS one
JOIN places AS first USING (line)
JOIN places AS further ON further.key = one.key AND further.line > one.line

-- name: with_places
-- A join would lose the order of the rows even on one thread; a subquery keeps it.
(SELECT * EXCLUDE place, unnest(place) FROM (
    SELECT *, (SELECT place FROM places WHERE places.key = visits.key) AS place
    FROM (SELECT *, {key} AS key FROM {source}) AS visits
) WHERE place IS NOT NULL)

-- name: nautical_zone
-- Some files have no offset (Gowalla, Brightkite). The offset is then that of the nautical time zone of the
-- longitude, in whole hours. It differs from civil time by at most an hour for most people, by more in summer
-- and in countries with one wide zone.
CAST(60 * round_even(longitude / 15, 0) AS SMALLINT)

-- name: own_times
-- Of texts of times and the nautical zones of their places, in a user's file: UTC, and how many minutes local time is
-- ahead. Times in UTC become local by the zone of the file. Without one they become nautical, and an offset is kept:
-- "shown" is the time without it. The last part of a text that may be an offset is one, or the text is no time.
WITH texts AS (SELECT unnest(?::VARCHAR[]) AS text, unnest(?::INTEGER[]) AS nautical),
times AS (
    SELECT nautical, make_timestamp(list_transform([text], lambda x: {local})[1]) AS local,
        make_timestamp(list_transform([text], lambda x: {zoned})[1]) AS zoned,
        make_timestamp(list_transform([regexp_replace(text, '^(.*)[+-]\d\d(:?\d\d)?', '\1+00:00')],
            lambda x: {zoned})[1]) AS shown
    FROM texts
),
places AS (
    SELECT *, coalesce(zoned, timezone('UTC', timezone({zone}, local))) AS utc,
        coalesce(timezone({zone}, timezone('UTC', zoned)), local) AS here
    FROM times
),
ahead AS (
    SELECT *, CASE WHEN {zone} IS NULL THEN coalesce(nullif(date_diff('minute', zoned, shown), 0), nautical)
        ELSE date_diff('minute', utc, here) END AS minutes
    FROM places
)
SELECT coalesce(strftime(coalesce(utc, local - to_minutes(minutes)), '%Y-%m-%dT%H:%M:%SZ'), '') AS utc,
    coalesce(minutes, 0) AS minutes
FROM ahead

-- name: write_prepared
COPY (
    SELECT * REPLACE (make_timestamptz(epoch_us(utc_time)) AS utc_time),
        utc_time + to_minutes(offset_minutes) AS local_time
    FROM (
        SELECT "user", venue, {category_id} AS category_id, {category} AS category, latitude, longitude,
            {offset} AS offset_minutes, utc_time
        FROM {source} WHERE venue IS NOT NULL
    )
) TO {path} (FORMAT parquet, PARQUET_VERSION v2, COMPRESSION zstd, COMPRESSION_LEVEL 1,
    DICTIONARY_SIZE_LIMIT 1000, ROW_GROUP_SIZE {row_group})

-- name: late
-- Faults that only a reading of the whole file finds. Lines that have another fault are empty here.
CREATE OR REPLACE TABLE late AS
SELECT line, text
FROM (SELECT *, string_split(text, chr(9))[{venue}] AS venue, {key} AS key FROM {whole_lines})
WHERE venue <> '' AND {condition}

-- name: venue_repeated
line IN (SELECT line FROM repeated WHERE differs)

-- name: venue_unknown
key NOT IN (SELECT key FROM places)

-- name: rejected
SELECT role, line, reason, text FROM rejected
ORDER BY list_position({roles}, role), kind = 'venue_repeated', line

-- name: summary
-- Values are compared by 64-bit hashes: among 33 million, two share one with probability 3e-5. An empty
-- text is no category.
SELECT count(*) - count(DISTINCT hash({columns})) AS duplicates,
    count(DISTINCT {user}) AS users, count(DISTINCT {venue}) AS venues,
    count(DISTINCT nullif(category, '')) AS categories,
    min(local_time) AS first_local_time, max(local_time) AS last_local_time,
    min(latitude) AS latitude_min, max(latitude) AS latitude_max,
    min(longitude) AS longitude_min, max(longitude) AS longitude_max
FROM {table}

-- List connected voters of an event, some at a time (cursor). Reads whether they have a ballot, never the ballot.
-- KEYS: voters (see record_voters.lua), ballots of the open turn.
-- ARGV: cursor, 0 at first; part of the voter code; team or ''; '1' voted, '0' not voted or ''; number of rows wanted;
--   then the gateways with a fresh heartbeat.
-- Reads about 2,000 rows at most. Returns {next cursor, 0 at the end, {{code, team, 1 if voted, else 0, voter}, ...}}.
local cursor, needle, team, voted, wanted = ARGV[1], ARGV[2], ARGV[3], ARGV[4], tonumber(ARGV[5])
local active, found, rows_read = {}, {}, 0
for i = 6, #ARGV do
  active[ARGV[i]] = true
end
repeat
  local page = redis.call('HSCAN', KEYS[1], cursor, 'COUNT', 50)
  cursor = page[1]
  local rows = page[2]
  for i = 1, #rows, 2 do
    local row_team, gateway, voter = string.match(rows[i + 1], '^(%d+) (%S+) (%S+)$')
    if gateway and active[gateway] and (team == '' or team == row_team) and string.find(rows[i], needle, 1, true) then
      local has_ballot = redis.call('HEXISTS', KEYS[2], voter)
      if voted == '' or voted == tostring(has_ballot) then
        found[#found + 1] = { rows[i], tonumber(row_team), has_ballot, voter }
      end
    end
  end
  rows_read = rows_read + #rows / 2
until cursor == '0' or #found >= wanted or rows_read >= 2000
return { cursor, found }

-- Seat voters: each in the team wished for, else in the smaller one.
-- KEYS: joined.  ARGV: a voter's wish each, 0 for none.  Answers the teams' numbers.
local joined = redis.call('HMGET', KEYS[1], '1', '2')
local size = { tonumber(joined[1] or 0), tonumber(joined[2] or 0) }
local teams = {}
for i = 1, #ARGV do
  local team = tonumber(ARGV[i])
  if team == 0 then
    team = size[1] <= size[2] and 1 or 2
  end
  size[team] = size[team] + 1
  teams[i] = team
end
redis.call('HSET', KEYS[1], '1', size[1], '2', size[2])
return teams
